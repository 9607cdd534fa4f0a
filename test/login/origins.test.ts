import fc from 'fast-check'
import t from 'tap'
import { directOrigin, isHost, isSameOrigin, underNameOf } from '../../src/login/origins.js'
import { anyCharacter } from '../support/any-character.js'

const HOSTS: [string, string][] = [
  ['localhost', 'http://localhost'],
  ['localhost:8080', 'http://localhost:8080'],
  ['LocalHost:8080', 'http://localhost:8080'],
  ['Events.Example.ORG', 'http://events.example.org'],
  ['events.example.org:80', 'http://events.example.org'],
  ['events.example.org:8080', 'http://events.example.org:8080'],
  ['events.example.org:443', 'http://events.example.org:443'],
  ['daybook_1:4000', 'http://daybook_1:4000'],
  ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ['[::1]', 'http://[::1]'],
  ['[::1]:4000', 'http://[::1]:4000'],
  ['[2001:DB8::1]:80', 'http://[2001:db8::1]'],
  ['[::ffff:127.0.0.1]:4000', 'http://[::ffff:127.0.0.1]:4000'],
]

const NO_HOSTS = [
  '',
  ' ',
  ':80',
  'localhost:',
  'localhost:port',
  'localhost:123456',
  'localhost:80:80',
  ' localhost',
  'localhost ',
  'localhost\t',
  'localhost\n',
  'local host',
  'a@evil',
  'board.example@evil.example',
  'evil.example/',
  'evil.example/events',
  'evil.example?x',
  'evil.example#x',
  'evil.example\\',
  'http://evil.example',
  '//evil.example',
  'a,b',
  'localhost, evil.example',
  '*',
  '%6cocalhost',
  'b\u00fccher.example',
  'loca\u017fhost',
  '\u212aelvin',
  'evil\u3002example',
  '[::1',
  '::1',
  '[]',
  '[localhost]',
  '[::1]x',
  '[::1%25eth0]',
  '[v1.a]',
  'localhost\0',
]

t.test('the direct origin is written as a browser writes it', async t => {
  for (const [host, origin] of HOSTS) {
    t.equal(isHost(host), true, host)
    t.equal(directOrigin(host), origin, host)
    if (!host.includes('_1') && !host.includes('ffff')) t.equal(new URL(`http://${host}`).origin, origin)
  }
})

t.test('a header that is not a host has no origin', async t => {
  for (const host of NO_HOSTS) {
    t.equal(isHost(host), false, JSON.stringify(host))
    t.equal(directOrigin(host), undefined, JSON.stringify(host))
  }
  t.equal(directOrigin(undefined), undefined)
})

t.test('only an origin that equals a listed one is known', async t => {
  const allowed = ['http://localhost:8080', 'https://events.example.org']
  for (const origin of allowed) t.equal(isSameOrigin(origin, allowed), true)
  const foreign = [
    undefined,
    '',
    ' ',
    'null',
    'http://localhost',
    'https://localhost:8080',
    'http://localhost:80801',
    'http://localhost:8080/',
    'http://localhost:8080 ',
    'http://localhost:8080, http://localhost:8080',
    'http://localhost:8080,https://events.example.org',
    'http://LOCALHOST:8080',
    'http://localhost:8080.evil.example',
    'http://localhost:8080@evil.example',
    'http://events.example.org',
    'https://events.example.org:443',
    'https://events.example.org.',
    'https://events.example.org.evil.example',
    'https://evil.example/https://events.example.org',
    'https://x.events.example.org',
    'https://events.example.or',
    'https://eventsXexample.org',
    'https://user@events.example.org',
    'events.example.org',
    'file://',
    '*',
  ]
  for (const origin of foreign) t.equal(isSameOrigin(origin, allowed), false, String(origin))
})

t.test('an opaque origin is never known, even if it is listed', async t => {
  for (const origin of ['null', '', 'file://', 'undefined']) t.equal(isSameOrigin(origin, [origin]), false)
  t.equal(isSameOrigin('http://localhost', []), false)
})

t.test('a URL parser reads the origin of every Host header as the same origin', async t => {
  const host = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.webAuthority({ withIPv4: true, withIPv6: true, withPort: true, withUserInfo: true }),
  )
  fc.assert(
    fc.property(host, host => {
      const origin = directOrigin(host)
      if (origin === undefined || !URL.canParse(origin)) return true
      const url = new URL(origin)
      return url.username === '' && url.password === '' && url.pathname === '/' && url.search === '' && url.hash === ''
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('an address of this machine is shown under the host name of the request', t => {
  const cases: [host: string | undefined, url: string, expected: string][] = [
    ['localhost:8766', 'http://127.0.0.1:8765', 'http://localhost:8765'],
    ['127.0.0.1:8766', 'http://localhost:8765/ledger', 'http://127.0.0.1:8765/ledger'],
    ['LOCALHOST', 'http://[::1]:8765', 'http://localhost:8765'],
    ['[::1]:8766', 'http://127.0.0.1:8765', 'http://127.0.0.1:8765'],
    ['board.example.org', 'http://127.0.0.1:8765', 'http://127.0.0.1:8765'],
    ['localhost:8766', 'https://ledger.example.org/x', 'https://ledger.example.org/x'],
    ['localhost.example.org', 'http://127.0.0.1:8765', 'http://127.0.0.1:8765'],
    [undefined, 'http://127.0.0.1:8765', 'http://127.0.0.1:8765'],
  ]
  for (const [host, url, expected] of cases) t.equal(underNameOf(host, url), expected, `${host} ${url}`)
  t.end()
})
