import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { isBackendPath, proxyPath } from '../../src/proxy/proxy-path.js'

const ROOTS = ['', '/board', '/a/b']
const INVALID = { category: 'invalid', code: 'invalid_path' }
const UNKNOWN = { category: 'not_found', code: 'not_found' }

t.test('an ambiguous path is refused', async t => {
  const hostile = lines('hostile-proxy-paths.txt').filter(line => line.startsWith('/'))
  t.ok(hostile.length > 150)
  for (const root of ROOTS) {
    for (const path of hostile) t.throws(() => proxyPath(`${root}/api/backends/p${path}`, root), INVALID, path)
  }
})

t.test('control characters are refused', async t => {
  const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))
  for (const character of [...controls, '\x7f', '\x80', '\xa0', '\xff', '\u2028', '\ud800', '\ufeff']) {
    t.throws(() => proxyPath(`/api/backends/p/api/a${character}b`, ''), INVALID)
    t.throws(() => proxyPath(`/api/backends/p/api/a?${character}`, ''), INVALID)
  }
})

t.test('a path below /api/ is forwarded unchanged', async t => {
  const paths = [
    '/api/',
    '/api/cards',
    '/api/cards/',
    '/api/cards/crd_1',
    "/api/-._~!$&'()*+,;=:@",
    '/api/cards;v=1/x',
    '/api/a..b/..c/d../.hidden',
    '/api/%20%41%2B%3A%40',
    '/api/%C3%A9/%e2%82%ac/%F0%9F%98%80',
    '/api/API/Cards',
    '/api/cards?',
    '/api/cards?a=1&b=%2F..%2F%00%25%0A',
    '/api/cards?next=/../?//x:@;',
    '/api/runs/run_1/log?since=2031-05-04T09:00:00%2B00:00',
    '/api/backends/q/api/cards',
  ]
  for (const root of ROOTS) {
    for (const path of paths) t.same(proxyPath(`${root}/api/backends/p-1_X${path}`, root), { profile: 'p-1_X', path })
  }
})

t.test('a path with its query may have 4 KiB', async t => {
  const longest = `/api/${'a'.repeat(4091)}`
  t.equal(proxyPath(`/api/backends/p${longest}`, '').path, longest)
  t.throws(() => proxyPath(`/api/backends/p${longest}a`, ''), INVALID)
  t.throws(() => proxyPath(`/api/backends/p/api/?${'a'.repeat(4091)}`, ''), INVALID)
})

t.test('an invalid name of a profile is unknown', async t => {
  const names = [
    '',
    '-a',
    '_a',
    '.',
    '..',
    'a.b',
    'a%41',
    'a%2fb',
    'a;b',
    'a b',
    'é',
    'a@b',
    '%00',
    'a?',
    'a\\b',
    'a\n',
  ]
  for (const name of [...names, 'a'.repeat(65), '__proto__', '$', '../p'])
    t.throws(() => proxyPath(`/api/backends/${name}/api/cards`, ''), UNKNOWN, name)
  t.equal(proxyPath(`/api/backends/${'a'.repeat(64)}/api/`, '').profile.length, 64)
  t.equal(proxyPath('/api/backends/constructor/api/', '').profile, 'constructor')
})

t.test('the part of the path before the profile is compared exactly', async t => {
  const targets = [
    '/API/backends/p/api/cards',
    '/api/Backends/p/api/cards',
    '/api/backend%73/p/api/cards',
    '/api//backends/p/api/cards',
    '//api/backends/p/api/cards',
    '/x/../api/backends/p/api/cards',
    'http://x/api/backends/p/api/cards',
    '/board/api/backends/p/api/cards',
    '/api/backends',
    '/api/backends/',
    '/api/backends/p',
    '',
  ]
  for (const target of targets) t.throws(() => proxyPath(target, ''), UNKNOWN, target)
  t.throws(() => proxyPath('/Board/api/backends/p/api/cards', '/board'), UNKNOWN)
  t.throws(() => proxyPath('/api/backends/p/api/cards', '/board'), UNKNOWN)
})

/** Pieces that attacks are made of, among ordinary ones. */
const piece = fc.constantFrom(
  ...['/', '//', '\\', '.', '..', '...', ';', '?', '#', '%', ':', '@', ' ', '\t', '\0', 'api', 'admin', 'a', '..;x'],
  ...[
    '%2e',
    '%2E',
    '%2f',
    '%5C',
    '%25',
    '%00',
    '%09',
    '%3b',
    '%c0%ae',
    '%e0%80%ae',
    '%ef%bc%8e',
    '%20',
    '%41',
    '％',
    '．',
  ],
)
const target = fc.array(piece, { maxLength: 12 }).map(pieces => `/api/${pieces.join('')}`)

t.test('parsing or decoding an accepted path again does not change it', async t => {
  fc.assert(
    fc.property(target, path => {
      if (!isBackendPath(path)) return true
      const raw = path.replace(/\?.*$/, '')
      let decoded = raw
      for (let times = 0; times < 3; times++) {
        const url = new URL(`http://x.invalid${decoded}`)
        if (url.host !== 'x.invalid' || !url.pathname.startsWith('/api/')) return false
        decoded = decodeURIComponent(decoded)
      }
      return new URL(`http://x.invalid${path}`).pathname === raw
    }),
    { numRuns: 5_000 },
  )
  t.pass()
})

function lines(file: string): string[] {
  const text = readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')
  return text.split('\n').filter(line => line !== '')
}
