import type { Promotion } from '../../../model/follow.js'
import type { MovedState } from '../../copy-store.js'
import { toNote } from '../../note-store.js'
import { toSourceWithSecrets } from '../../rows/stored-source.js'
import type { Connection } from '../connection/connection.js'
import { findMissed } from '../read/recorded-erasures.js'
import { LIST_NOTES } from './note-tasks.js'
import { LIST_SOURCES } from './source-tasks.js'
import { FIND_QUEUE, SAVE_QUEUE } from './subscription-tasks.js'

const DELETE_SOURCES = /* sql */ `DELETE FROM sources`
const DELETE_SECRETS = /* sql */ `DELETE FROM source_secrets`
const DELETE_FEEDS = /* sql */ `DELETE FROM notes WHERE kind = 'feed'`
const DELETE_QUEUE = /* sql */ `DELETE FROM meta WHERE name = 'chat_queue'`
const DELETE_FOLLOWED = /* sql */ `DELETE FROM meta WHERE name IN ('missed', 'promotion')`
const ADD_FOLLOWED = /* sql */ `INSERT INTO meta (name, value) VALUES ($1, $2)`
const FIND_PROMOTION = /* sql */ `SELECT value FROM meta WHERE name = 'promotion'`
const ADD_SOURCE = /* sql */ `INSERT INTO sources (name, body, created_at, updated_at) VALUES ($1, $2, $3, $4)`
const ADD_SECRETS = /* sql */ `INSERT INTO source_secrets (name, secrets) VALUES ($1, $2)`
const ADD_FEED = /* sql */ `INSERT INTO notes (kind, name, revision, body) VALUES ('feed', $1, $2, $3)`

export function readMovedState(connection: Connection): Promise<MovedState> {
  return connection.snapshot(async () => {
    const sources = (await connection.run(LIST_SOURCES)).map(toSourceWithSecrets)
    const feeds = (await connection.run(LIST_NOTES, 'feed')).map(toNote)
    const [queue] = await connection.run(FIND_QUEUE)
    return {
      sources,
      feeds,
      queue: queue ? JSON.parse(String(queue.value)) : null,
      missed: await findMissed(connection),
      promotion: await findPromotion(connection),
    }
  })
}

/** Of the ledger in a file from which this one was moved: a ledger in PostgreSQL does not follow another one. */
export async function findPromotion(connection: Pick<Connection, 'run'>): Promise<Promotion | null> {
  const [row] = await connection.run(FIND_PROMOTION)
  return row ? (JSON.parse(String(row.value)) as Promotion) : null
}

export function writeMovedState(connection: Connection, state: MovedState): Promise<void> {
  const { sources, feeds, queue, missed, promotion } = state
  return connection.transaction(async () => {
    for (const sql of [DELETE_SOURCES, DELETE_SECRETS, DELETE_FEEDS, DELETE_QUEUE, DELETE_FOLLOWED])
      await connection.run(sql)
    for (const { definition, secrets, created_at, updated_at } of sources) {
      await connection.run(ADD_SOURCE, definition.name, JSON.stringify(definition), created_at, updated_at)
      await connection.run(ADD_SECRETS, definition.name, JSON.stringify(secrets))
    }
    for (const { name, revision, body } of feeds) await connection.run(ADD_FEED, name, revision, body)
    if (queue) await connection.run(SAVE_QUEUE, JSON.stringify(queue))
    if (missed) await connection.run(ADD_FOLLOWED, 'missed', JSON.stringify(missed))
    if (promotion) await connection.run(ADD_FOLLOWED, 'promotion', JSON.stringify(promotion))
  })
}
