import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { AppError } from '../../src/model/app-error.js'
import { viaServerOrFile } from '../../src/runtime/via-server-or-file.js'
import { acquireOwnership } from '../../src/store/sqlite/owner/database-lock.js'
import { ownFolder } from '../black-box/own-folder.js'

t.test('a server that has the files open and does not answer is named, with what to do', async t => {
  const database = join(ownFolder(t), 'events.db')
  const socket = `${database}.sock`
  const ownership = await acquireOwnership({
    database,
    role: 'server',
    socket,
    waitMs: 0,
    now: Date.now,
    random: Math.random,
    onLost: () => {},
  })
  t.teardown(() => ownership.release())
  const server = createServer().listen(socket)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const ways = {
    server: async () => {
      throw new AppError('unavailable', 'server_timeout', 'It did not answer in 30 seconds.')
    },
    file: async () => t.fail('the file is not ours'),
  }
  await t.rejects(viaServerOrFile(database, ways), {
    category: 'unavailable',
    code: 'server_timeout',
    message: new RegExp(`did not answer in 30 seconds\\. .*process ${process.pid}.*kill -CONT ${process.pid}`),
  })
})
