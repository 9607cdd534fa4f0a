import type { Connection } from '../connection/connection.js'

const NOTIFY = /* sql */ `SELECT pg_notify($1, $2)`

/** The channel on which servers learn of changes of runs. */
export interface RunNotices {
  channel: string
  /** This server, which ignores its own notices. */
  server: string
}

/** Notifies the other servers when the transaction commits. @param id of the run; absent: the queue has changed */
export async function notifyOfRun(connection: Connection, { channel, server }: RunNotices, id = ''): Promise<void> {
  await connection.run(NOTIFY, channel, `${server} ${id}`)
}
