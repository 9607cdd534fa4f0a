import type { Connection } from '../connection/connection.js'

const HOLD = /* sql */ `SELECT paused FROM board WHERE id = 1 FOR UPDATE`
const NOTIFY = /* sql */ `SELECT pg_notify($1, $2)`

/**
 * Waits for other changes of the board, and keeps them out until the transaction ends: numbers rise with commits, places in
 * a column are computed from what is committed, and limits are exact.
 *
 * @returns whether the executor is paused
 */
export async function holdBoard(connection: Connection): Promise<{ paused: boolean }> {
  const [row] = await connection.run(HOLD)
  return { paused: row?.paused === true }
}

/** How servers learn of changes of runs. */
export interface RunNotices {
  channel: string
  /** This server, which ignores its own notices. */
  server: string
}

/** Notifies the other servers when the transaction commits. @param id of the run; absent: the queue has changed */
export async function notifyOfRun(connection: Connection, { channel, server }: RunNotices, id = ''): Promise<void> {
  await connection.run(NOTIFY, channel, `${server} ${id}`)
}
