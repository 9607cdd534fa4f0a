/** Times the board's session store with the maximum number of sessions. Prints milliseconds as JSON. */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openSessionDatabase } from '../../src/store/sqlite/board/session-database.js'
import type { SessionStoreTimes } from '../programs.js'
import { Times, type TimesSummary } from '../statistics.js'

const SESSIONS = 1_024
const ROUNDS = 500
const NOW = 1_800_000_000
const KEY = 'digest of the key'

const database = openSessionDatabase(join(process.argv[2] ?? '.', 'sessions.sqlite3'), {
  onCorrupt: () => {
    throw new Error('The store was new')
  },
})
const { sessions } = database
const digests = Array.from({ length: SESSIONS }, newDigest)
for (const digest of digests) sessions.add({ digest, key: KEY, expiresAt: NOW + 3_600 }, { now: NOW, max: SESSIONS })

const times: SessionStoreTimes = {
  login: timesOf(round => {
    const replaces = digests[round]
    const digest = newDigest()
    const added = sessions.add(
      { digest, key: KEY, expiresAt: NOW + 3_600 },
      { now: NOW, max: SESSIONS, ...(replaces === undefined ? {} : { replaces }) },
    )
    if (!added) throw new Error('There was no room for a session that replaces another')
    digests[round] = digest
  }),
  check: timesOf(round => {
    if (!sessions.isLive(digests[(round * 7) % SESSIONS] ?? '', KEY, NOW))
      throw new Error('A live session was not found')
  }),
  purge: timesOf(() => sessions.purge(NOW)),
}
database.close()
process.stdout.write(JSON.stringify(times))

function timesOf(work: (round: number) => void): TimesSummary {
  const times = new Times()
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    work(round)
    times.add(performance.now() - startedAt)
  }
  return times.summary()
}

function newDigest(): string {
  return createHash('sha256').update(randomBytes(32)).digest('hex')
}
