import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { createThrottleAddress, isCidr } from '../../src/login/caller-address.js'

const direct = createThrottleAddress([])

t.test('every spelling of an IPv4 address is counted as one address', async t => {
  const cases: [string, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7107', '203.0.113.7'],
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:0.0.0.1', '0.0.0.1'],
  ]
  for (const [given, address] of cases) t.equal(direct(given, undefined), address, given)
})

t.test('an IPv6 address is counted as its /64 network', async t => {
  const cases: [string, string][] = [
    ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0db8:0001:0002::/64'],
    ['2001:DB8:1:2::', '2001:0db8:0001:0002::/64'],
    ['2001:db8:1:3::1', '2001:0db8:0001:0003::/64'],
    ['2001:db8::1', '2001:0db8:0000:0000::/64'],
    ['::1', '0000:0000:0000:0000::/64'],
    ['::', '0000:0000:0000:0000::/64'],
    ['::203.0.113.7', '0000:0000:0000:0000::/64'],
    ['::ffff:0:203.0.113.7', '0000:0000:0000:0000::/64'],
    ['64:ff9b::203.0.113.7', '0064:ff9b:0000:0000::/64'],
    ['fe80::1%eth0', 'fe80:0000:0000:0000::/64'],
    ['fe80::2%1', 'fe80:0000:0000:0000::/64'],
    ['1:2:3:4:5:6:7::', '0001:0002:0003:0004::/64'],
    ['::2:3:4:5:6:7:8', '0000:0002:0003:0004::/64'],
  ]
  for (const [given, address] of cases) t.equal(direct(given, undefined), address, given)
})

t.test('callers without an address are counted together', async t => {
  for (const given of [
    undefined,
    '',
    'localhost',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.7:80',
    '[::1]',
    ':::',
    'g::',
  ]) {
    t.equal(direct(given, '203.0.113.7'), 'unknown', String(given))
  }
})

t.test('an address that an untrusted caller claims has no effect', async t => {
  const proxied = createThrottleAddress(['10.0.0.0/8'])
  for (const forwarded of ['198.51.100.1', '10.0.0.1', '198.51.100.1, 10.0.0.1', '127.0.0.1', '::1', 'unknown']) {
    t.equal(direct('203.0.113.7', forwarded), '203.0.113.7', forwarded)
    t.equal(proxied('203.0.113.7', forwarded), '203.0.113.7', forwarded)
  }
})

t.test('behind listed proxies, the right-most address that is not a proxy is counted', async t => {
  const proxied = createThrottleAddress(['10.0.0.0/8', '192.0.2.1', '2001:db8:ffff::/48', '::1'])
  const cases: { from: string; forwarded: string | undefined; address: string }[] = [
    { from: '10.1.2.3', forwarded: '203.0.113.7', address: '203.0.113.7' },
    { from: '::ffff:10.1.2.3', forwarded: '203.0.113.7', address: '203.0.113.7' },
    { from: '192.0.2.1', forwarded: '203.0.113.7', address: '203.0.113.7' },
    { from: '192.0.2.2', forwarded: '203.0.113.7', address: '192.0.2.2' },
    { from: '2001:db8:ffff::9', forwarded: '203.0.113.7', address: '203.0.113.7' },
    { from: '::1', forwarded: '203.0.113.7', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: '198.51.100.1, 203.0.113.7', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: '198.51.100.1,203.0.113.7,10.9.9.9', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: '198.51.100.1, 203.0.113.7, 192.0.2.1, ::ffff:10.9.9.9', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: '10.0.0.1, 203.0.113.7', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: '2001:db8:1:2::3', address: '2001:0db8:0001:0002::/64' },
    { from: '10.1.2.3', forwarded: '::ffff:203.0.113.7', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: ' \t203.0.113.7 ', address: '203.0.113.7' },
    // Some proxies add the port.
    { from: '10.1.2.3', forwarded: '203.0.113.7:51234', address: '203.0.113.7' },
    { from: '10.1.2.3', forwarded: '[2001:db8:1:2::3]:51234', address: '2001:0db8:0001:0002::/64' },
    { from: '10.1.2.3', forwarded: '[2001:db8:1:2::3]', address: '2001:0db8:0001:0002::/64' },
    // All of them are listed: the one that is farthest away.
    { from: '10.1.2.3', forwarded: '10.4.4.4, 10.5.5.5', address: '10.4.4.4' },
    // An entry that is not an address hides the entries to its left.
    { from: '10.1.2.3', forwarded: undefined, address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '', address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '203.0.113.7,', address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '203.0.113.7, unknown', address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '203.0.113.7, _hidden, 10.5.5.5', address: '10.5.5.5' },
    { from: '10.1.2.3', forwarded: 'for=203.0.113.7', address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '203.0.113.7; 198.51.100.1', address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '203.0.113.07', address: '10.1.2.3' },
    { from: '10.1.2.3', forwarded: '"203.0.113.7"', address: '10.1.2.3' },
  ]
  for (const { from, forwarded, address } of cases) {
    t.equal(proxied(from, forwarded), address, `${from} for ${String(forwarded)}`)
  }
})

t.test('a range is recognised in every spelling', async t => {
  const inside: [string, string][] = [
    ['0.0.0.0/0', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.200/24', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:0:0/96', '203.0.113.7'],
    ['::/0', '2001:db8::7'],
    ['2001:DB8::/32', '2001:db8::7'],
    ['2001:db8::7/128', '2001:db8:0::7'],
    ['2001:db8::203.0.113.7', '2001:db8::cb00:7107'],
  ]
  for (const [range, peer] of inside) {
    t.equal(isCidr(range), true, range)
    t.equal(createThrottleAddress([range])(peer, '198.51.100.1'), '198.51.100.1', `${range} holds ${peer}`)
  }
  const outside: [string, string][] = [
    ['0.0.0.0/0', '2001:db8::7'],
    ['::/0', '203.0.113.7'],
    ['::/64', '203.0.113.7'],
    ['203.0.113.6/32', '203.0.113.7'],
    ['2001:db8:1::/48', '2001:db8:2::7'],
  ]
  for (const [range, peer] of outside) {
    t.not(createThrottleAddress([range])(peer, '198.51.100.1'), '198.51.100.1', `${range} holds no ${peer}`)
  }
})

t.test('text that is not a range is refused', async t => {
  const cases = [
    '',
    ' ',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8 ',
    ' 10.0.0.0/8',
    '10.0.0.0/8\n',
    '10.0.0/8',
    '10/8',
    '010.0.0.0/8',
    '10.0.0.0-10.0.0.9',
    '10.0.0.*',
    '::1/129',
    '::1/1000',
    '::ffff:10.0.0.0/8',
    '[::1]',
    'fe80::1%eth0',
    'localhost',
    'proxy.example',
    '*',
    '10.0.0.1,10.0.0.2',
  ]
  for (const text of cases) {
    t.equal(isCidr(text), false, JSON.stringify(text))
    t.throws(() => createThrottleAddress([text]), { category: 'configuration', code: 'proxy_invalid' }, text)
  }
})

t.test('every forwarded address gives one short key', async t => {
  const proxied = createThrottleAddress(['0.0.0.0/0', '::/0'])
  const part = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4Extended(),
    fc.string(),
    fc.constantFrom(' ', '[', ']', '%', ':', '1'),
  )
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), fc.array(part), (from, parts) => {
      return /^(?:unknown|[\d.]{7,15}|[0-9a-f:]{21}\/64)$/.test(proxied(from, parts.join(',')))
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

t.test('every IPv6 address falls into the /64 of its first half', async t => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(groups, groups => {
      const text = groups.map(group => group.toString(16)).join(':')
      const half = groups.slice(0, 4).map(group => group.toString(16).padStart(4, '0'))
      const mapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
      return isIPv6(text) && (mapped || direct(text, undefined) === `${half.join(':')}::/64`)
    }),
  )
  t.pass()
})
