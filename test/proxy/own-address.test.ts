import t from 'tap'
import { isOwnAddress } from '../../src/proxy/own-address.js'

const HERE = () => ['127.0.0.1', '192.0.2.7', '::1', 'fe80::1']
const ask = (address: string, listener: string, port = 8766) =>
  isOwnAddress({ address, port }, [{ address: listener, port: 8766 }], HERE)

t.test('a listener on one address is our own only at that address', async t => {
  t.ok(ask('127.0.0.1', '127.0.0.1'))
  t.ok(ask('::ffff:127.0.0.1', '127.0.0.1'))
  t.ok(ask('::1', '::1'))
  t.ok(ask('fe80::1%eth0', 'fe80::1'))
  t.notOk(ask('127.0.0.2', '127.0.0.1'))
  t.notOk(ask('127.0.0.1', '127.0.0.1', 8765))
  t.notOk(ask('192.0.2.7', '127.0.0.1'))
})

t.test('a listener on all addresses is our own at every address of this machine', async t => {
  for (const listener of ['0.0.0.0', '::']) {
    for (const address of [
      '127.0.0.1',
      '127.3.2.1',
      '::1',
      '192.0.2.7',
      '::ffff:192.0.2.7',
      'FE80::1%eth0',
      '0.0.0.0',
    ]) {
      t.ok(ask(address, listener), `${address} at ${listener}`)
    }
    t.notOk(ask('192.0.2.8', listener))
    t.notOk(ask('192.0.2.7', listener, 80))
  }
})

t.test('without a listener, no address is our own', async t => {
  t.notOk(isOwnAddress({ address: '127.0.0.1', port: 1 }, [], HERE))
})
