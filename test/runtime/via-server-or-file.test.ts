import { join } from 'node:path'
import t from 'tap'
import { AppError } from '../../src/model/app-error.js'
import { viaServerOrFile } from '../../src/runtime/via-server-or-file.js'
import { ownFolder } from '../black-box/own-folder.js'
import { broken, standInOwner } from './stand-in-owner.js'

t.test('an owner of the files that does not answer is named, with what to do', async t => {
  const database = join(ownFolder(t), 'events.db')
  await standInOwner(t, database, () => broken)
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
