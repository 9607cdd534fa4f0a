import { type NoteStore, toNote } from '../../note-store.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'

const FIND = /* sql */ `SELECT name, revision, body FROM notes WHERE kind = $1 AND name = $2`
export const LIST_NOTES = /* sql */ `SELECT name, revision, body FROM notes WHERE kind = $1 ORDER BY name`
const SAVE = /* sql */ `
  INSERT INTO notes (kind, name, revision, body) VALUES ($1, $2, 1, $3)
  ON CONFLICT (kind, name) DO UPDATE SET revision = notes.revision + 1, body = excluded.body
  WHERE $4::bigint IS NULL OR notes.revision = $4::bigint
  RETURNING revision`
const DELETE = /* sql */ `DELETE FROM notes WHERE kind = $1 AND name = $2 RETURNING name`

export function noteTasks(pool: Pool): NoteStore {
  return {
    find: async (kind, name) => {
      const [row] = isStorable(name) ? await pool.run(FIND, kind, name) : []
      return row && toNote(row)
    },
    list: async kind => (await pool.run(LIST_NOTES, kind)).map(toNote),
    save: async ({ kind, name, body, replaces }) => {
      return (await pool.run(SAVE, kind, name, body, replaces ?? null)).length > 0
    },
    delete: async (kind, name) => isStorable(name) && (await pool.run(DELETE, kind, name)).length > 0,
  }
}
