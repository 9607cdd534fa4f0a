import { type NoteStore, toNote } from '../../note-store.js'
import type { Value } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'
import { READ_STATE, refuseMoved } from '../write/refuse-unwritable.js'

const FIND = /* sql */ `SELECT name, revision, body FROM notes WHERE kind = $1 AND name = $2`
export const LIST_NOTES = /* sql */ `SELECT name, revision, body FROM notes WHERE kind = $1 ORDER BY name`
const SAVE = /* sql */ `
  INSERT INTO notes (kind, name, revision, body) VALUES ($1, $2, 1, $3)
  ON CONFLICT (kind, name) DO UPDATE SET revision = notes.revision + 1, body = excluded.body
  WHERE $4::bigint IS NULL OR notes.revision = $4::bigint
  RETURNING revision`
const DELETE = /* sql */ `DELETE FROM notes WHERE kind = $1 AND name = $2 RETURNING name`

export function noteTasks(pool: Pool): NoteStore {
  /** @returns whether a row changed */
  const change = (sql: string, ...values: Value[]) =>
    pool.transaction(async connection => {
      // The change locks the table; only a later statement reads the state that it must respect.
      const { length } = await connection.run(sql, ...values)
      refuseMoved((await connection.run(READ_STATE))[0])
      return length > 0
    })
  return {
    find: async (kind, name) => {
      const [row] = isStorable(name) ? await pool.run(FIND, kind, name) : []
      return row && toNote(row)
    },
    list: async kind => (await pool.run(LIST_NOTES, kind)).map(toNote),
    save: ({ kind, name, body, replaces }) => change(SAVE, kind, name, body, replaces ?? null),
    delete: async (kind, name) => isStorable(name) && change(DELETE, kind, name),
  }
}
