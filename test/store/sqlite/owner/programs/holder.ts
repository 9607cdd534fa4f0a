/**
 * Owns a ledger until it is killed or its standard input ends. Arguments: database, role, and for its socket a path.
 * Prints `owned` when it does, or the code of the refusal.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { AppError } from '../../../../../src/model/app-error.js'
import { acquireOwnership } from '../../../../../src/store/sqlite/owner/database-lock.js'

const [, , database = '', role, socket] = process.argv

try {
  const ownership = await acquireOwnership({
    database,
    role: role === 'server' ? 'server' : 'command',
    ...(socket === undefined ? {} : { socket }),
    waitMs: 0,
    now: Date.now,
    random: Math.random,
    onLost: successor => console.log(`lost to ${successor?.pid ?? 'no process'}`),
    heartbeatMs: 50,
    silenceMs: 600,
  })
  const server = createServer(connection => connection.end())
  if (socket !== undefined) await once(server.listen(socket), 'listening')
  console.log('owned')
  process.stdin.resume()
  await once(process.stdin, 'end')
  server.close()
  await ownership.release()
} catch (error) {
  if (!(error instanceof AppError)) throw error
  console.log(`${error.category}/${error.code}`)
}
