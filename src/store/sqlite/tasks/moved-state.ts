import type { MovedState } from '../../copy-store.js'
import { toNote } from '../../note-store.js'
import { toSourceWithSecrets } from '../../rows/stored-source.js'
import type { Database } from '../files/database.js'
import { findFollow, findMissed, saveFollowed } from '../write/follow-state.js'
import { LIST_NOTES } from './note-tasks.js'
import { LIST_SOURCES } from './source-tasks.js'
import { findQueueMark, saveQueueMark } from './subscription-tasks.js'

const DELETE_SOURCES = /* sql */ `DELETE FROM sources`
const DELETE_SECRETS = /* sql */ `DELETE FROM source_secrets`
const DELETE_FEEDS = /* sql */ `DELETE FROM notes WHERE kind = 'feed'`
const DELETE_QUEUE = /* sql */ `DELETE FROM meta WHERE name = 'chat_queue'`
const ADD_SOURCE = /* sql */ `INSERT INTO sources (name, body, created_at, updated_at) VALUES (?, ?, ?, ?)`
const ADD_SECRETS = /* sql */ `INSERT INTO source_secrets (name, secrets) VALUES (?, ?)`
const ADD_FEED = /* sql */ `INSERT INTO notes (kind, name, revision, body) VALUES ('feed', ?, ?, ?)`

export function readMovedState(database: Database): MovedState {
  return {
    sources: database.all(LIST_SOURCES).map(toSourceWithSecrets),
    feeds: database.all(LIST_NOTES, 'feed').map(toNote),
    queue: findQueueMark(database) ?? null,
    missed: findMissed(database),
    promotion: findFollow(database).promotion,
  }
}

export function writeMovedState(database: Database, { sources, feeds, queue, ...followed }: MovedState): void {
  for (const sql of [DELETE_SOURCES, DELETE_SECRETS, DELETE_FEEDS, DELETE_QUEUE]) database.run(sql)
  for (const { definition, secrets, created_at, updated_at } of sources) {
    database.run(ADD_SOURCE, definition.name, JSON.stringify(definition), created_at, updated_at)
    database.run(ADD_SECRETS, definition.name, JSON.stringify(secrets))
  }
  for (const { name, revision, body } of feeds) database.run(ADD_FEED, name, revision, body)
  if (queue) saveQueueMark(database, queue)
  saveFollowed(database, followed)
}
