import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import { type OwnerRecord, readOwner } from '../store/sqlite/owner/owner-record.js'
import { answersAt } from '../store/sqlite/owner/socket-path.js'

/** The two ways to the files of a database on this machine. */
export interface Ways<Result> {
  /** A server has them open, and listens at this socket. */
  throughServer: (owner: OwnerRecord, socketPath: string) => Promise<Result>
  /** Nobody has them open. */
  throughFile: () => Promise<Result>
}

/** How long a server may take to answer that has just begun or is about to end, and how often it is looked for. */
const WAIT_MS = 10_000
const POLL_MS = 50
/** A server owns its files a moment before it answers and a moment after, and may be killed in the middle of an answer. */
const PASSING = { server: ['server_unreachable', 'connection_lost'], file: ['ledger_owned'] }

/**
 * Works on a database: through the server that has it open, else through its file.
 *
 * @param database any spelling of its path
 * @throws AppError `unavailable/server_timeout` for a server that has it open and does not answer; else as the way that was
 *   taken
 */
export async function reachOwner<Result>(database: string, ways: Ways<Result>): Promise<Result> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const owner = await readOwner(database)
    const socket =
      owner?.role === 'server' && owner.socket && (await answersAt(owner.socket)) ? owner.socket : undefined
    try {
      return owner && socket ? await ways.throughServer(owner, socket) : await ways.throughFile()
    } catch (error) {
      if (owner && error instanceof AppError && error.code === 'server_timeout') throw unresponsive(owner, error)
      const passing = socket ? PASSING.server : PASSING.file
      if (!(error instanceof AppError) || !passing.includes(error.code) || performance.now() >= deadline) throw error
    }
    await sleep(POLL_MS)
  }
}

function unresponsive({ pid }: OwnerRecord, cause: AppError): AppError {
  return new AppError('unavailable', 'server_timeout', cause.message, {
    hint: `The server is process ${pid}: if it is suspended, \`kill -CONT ${pid}\` resumes it; if it hangs, restart it.`,
    cause,
  })
}
