import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { safeNext } from '../../src/login/safe-next.js'
import { anyCharacter } from '../support/any-character.js'

const ROOTS = ['', '/events', '/a/b', '/v1.0']
/** Addresses of a login page, under any root path: the browser resolves against it. */
const BASES = ['http://localhost:8080/login', 'https://events.example.org/', 'http://[::1]/events/login?next=/x']

/** Texts with control characters, which no line of a file can hold. */
const UNSAFE_CONTROLS = [
  '\t//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '/\r/evil.example',
  '\n/events',
  '/events\n',
  '/events\r\nSet-Cookie: a=b',
  '/events\0',
  '\0/events',
  '\x01//evil.example',
  '\x1f/events',
  '/events\x7f',
  '/\x0b/evil.example',
  '/\x0c/evil.example',
  '/\u0085/evil.example',
  '\u00a0/events',
  '/\u00a0/evil.example',
  '\ufeff/events',
  '/\u200b/evil.example',
  '/\u2028/evil.example',
  '/\u202eevil.example',
  '/\ud800',
  '',
]

t.test('a path that could lead to another site, or be read as another path, becomes the root', async t => {
  const unsafe = [...lines('unsafe-next.txt'), ...UNSAFE_CONTROLS]
  t.ok(unsafe.length > 200)
  for (const root of ROOTS) {
    t.same(
      unsafe.filter(text => safeNext(text, root) !== `${root}/`),
      [],
      `below "${root}"`,
    )
  }
})

t.test('below a root path, an unsafe path becomes the root path', async t => {
  const paths = lines('unsafe-next.txt').filter(text => /^[/\\]/.test(text))
  t.same(
    paths.filter(text => safeNext(`/events${text}`, '/events') !== '/events/'),
    [],
  )
})

t.test('a path on this server is returned unchanged', async t => {
  for (const text of lines('allowed-next.txt')) t.equal(safeNext(text, ''), text)
  for (const text of lines('allowed-next.txt')) t.equal(safeNext(`/daybook${text}`, '/daybook'), `/daybook${text}`)
})

t.test('a path may have 2048 characters', async t => {
  const longest = `/${'a'.repeat(2047)}`
  t.equal(safeNext(longest, ''), longest)
  t.equal(safeNext(`${longest}a`, ''), '/')
})

t.test('below a root path, only paths below it are safe', async t => {
  const cases: [string, string][] = [
    ['/events', '/events'],
    ['/events/', '/events/'],
    ['/events?x=1', '/events?x=1'],
    ['/events#x', '/events#x'],
    ['/events/login', '/events/login'],
    ['/', '/events/'],
    ['/other', '/events/'],
    ['/eventsblah', '/events/'],
    ['/events.evil.example', '/events/'],
    ['/events;x', '/events/'],
    ['/events@evil.example', '/events/'],
    ['/Events/login', '/events/'],
    ['/%65vents/login', '/events/'],
    ['/other/events/login', '/events/'],
    ['/events/../other', '/events/'],
    ['/events/%2e%2e/other', '/events/'],
    ['/events//evil.example', '/events/'],
    ['/other?/events/', '/events/'],
  ]
  for (const [given, expected] of cases) t.equal(safeNext(given, '/events'), expected, given)
})

t.test('a value that is not text is not a path', async t => {
  const cases = [undefined, null, 7, true, {}, [], ['/events'], { toString: () => '/events' }, Symbol('/'), 1n]
  for (const value of cases) {
    t.equal(safeNext(value, ''), '/')
    t.equal(safeNext(value, '/events'), '/events/')
  }
})

/** Pieces that attacks are made of, in any order, among ordinary ones. */
const piece = fc.constantFrom(
  ...['/', '//', '\\', '.', '..', '%2e', '%2E', '%2f', '%5C', '%25', '%00', '%09', '%', '?', '#', ':', '@', ';', '&'],
  ...[
    'evil.example',
    'events',
    'http:',
    'https://',
    'javascript:',
    '\t',
    '\n',
    '\r',
    '\0',
    ' ',
    '\u3002',
    '\uff0f',
    '[::1]',
    '80',
  ],
)
const hostile = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))
const text = fc.oneof(
  hostile,
  hostile.map(rest => `/${rest}`),
  hostile.map(rest => `/events/${rest}`),
  fc.string({ unit: anyCharacter }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.webPath().map(path => `/${path}`),
)

t.test(
  'for every input, a browser stays on this server and below the root path, however often it resolves',
  async t => {
    fc.assert(
      fc.property(text, fc.constantFrom(...ROOTS), fc.constantFrom(...BASES), (given, root, base) => {
        const next = safeNext(given, root)
        const here = new URL(base).origin
        const once = new URL(next, base)
        const twice = new URL(once.pathname + once.search + once.hash, base)
        for (const url of [once, twice]) {
          if (url.origin !== here || url.username !== '') return false
          if (url.pathname !== root && !url.pathname.startsWith(`${root}/`)) return false
        }
        // Even a client that decodes the path before resolving it again stays here.
        if (new URL(decoded(once.pathname), base).origin !== here) return false
        return once.pathname === next.replace(/[?#].*$/, '')
      }),
      { numRuns: 5_000 },
    )
    t.pass()
  },
)

t.test('a safe path stays safe when it is checked again, and is a valid header value', async t => {
  fc.assert(
    fc.property(text, fc.constantFrom(...ROOTS), (given, root) => {
      const next = safeNext(given, root)
      return safeNext(next, root) === next && /^[!-~]{1,2048}$/.test(next) && !next.startsWith('//')
    }),
    { numRuns: 5_000 },
  )
  t.pass()
})

function decoded(text: string): string {
  return text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function lines(file: string): string[] {
  const text = readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')
  return text.split('\n').filter(line => line !== '')
}
