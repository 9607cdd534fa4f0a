import { join } from 'node:path'
import t from 'tap'
import { LedgerSocketClient } from '../../../src/client/ledger-socket-client.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { until } from '../../support/until.js'
import { serve } from '../serve.js'

t.test('a command that ends aborts the copy that the server makes for it', async t => {
  const socketPath = join(ownFolder(t), 'ledger.sock')
  const gone = new AbortController()
  let ended: unknown
  await serve(t, {
    socketPath,
    copyTo: (_, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended = signal.reason
          reject(signal.reason)
        })
        gone.abort(new Error('killed'))
      }),
  })
  const request = JSON.stringify({ path: '/var/backups/ledger.db' })
  const copied = new LedgerSocketClient({ socketPath }).backup(request, { signal: gone.signal })
  await t.rejects(copied, { message: 'killed' })
  await until(() => ended !== undefined)
  t.match(ended, { name: 'AbortError' })
})
