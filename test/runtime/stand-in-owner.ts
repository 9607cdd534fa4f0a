import type { Test } from 'tap'
import { acquireOwnership } from '../../src/store/sqlite/owner/database-lock.js'
import { type Answering, type Arrived, type StandIn, standIn } from '../client/stand-in.js'

/** A stand-in for the server that has a database open. */
export async function standInOwner(
  t: Test,
  database: string,
  answer: (request: Arrived) => Answering,
): Promise<StandIn> {
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
  // Taking ownership removes a socket that an earlier server left.
  return standIn(t, answer, { path: socket })
}

/** Ends the connection. */
export const broken: Answering = res => void res.destroy()
