import t from 'tap'
import { createKnownHosts } from '../../src/login/known-hosts.js'

t.test('a server accepts its own names, loopback names and the local address of the connection', async t => {
  const knows = createKnownHosts(['Ledger.example.org', '10.0.0.5', '2001:DB8::5'])
  for (const host of [
    ...['ledger.example.org', 'LEDGER.EXAMPLE.ORG:8443', '10.0.0.5:8765', '[2001:db8::5]', '[2001:db8:0:0::5]:80'],
    ...['localhost:8765', '127.0.0.1', '127.8.9.10:1', '[::1]:8765'],
  ]) {
    t.equal(knows(host, '192.0.2.7'), true, host)
  }
  for (const host of [
    ...['rebound.example', 'ledger.example.org.rebound.example', 'xledger.example.org', 'ledger.example.org.'],
    ...['10.0.0.6', '[2001:db8::6]', 'localhost.example', '192.0.2.8', 'a@ledger.example.org', ''],
  ]) {
    t.equal(knows(host, '192.0.2.7'), false, host)
  }
  t.equal(knows(undefined, '127.0.0.1'), false, 'a request without Host')
})

t.test('the local address of a connection is accepted in every form that a system writes', async t => {
  const knows = createKnownHosts([])
  const cases: [host: string, localAddress: string | undefined, known: boolean][] = [
    ['192.0.2.7:8765', '192.0.2.7', true],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['[2001:db8::7]:8765', '2001:db8:0:0:0:0:0:7', true],
    ['[fe80::1]', 'fe80::1%eth0', true],
    ['192.0.2.7', '192.0.2.70', false],
    ['192.0.2.7', undefined, false],
  ]
  for (const [host, localAddress, known] of cases) t.equal(knows(host, localAddress), known, `${host} ${localAddress}`)
})
