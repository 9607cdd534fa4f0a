import { type NoteKind, type NoteToSave, toNote } from '../../note-store.js'
import type { Database } from '../files/database.js'
import { read, write } from '../thread/task.js'

export const NOTE_TABLE = /* sql */ `
  -- What the servers remember of their work (note-store.ts). The ledger does not depend on it.
  CREATE TABLE notes (
    kind TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, name)
  ) STRICT;
`

const FIND = /* sql */ `SELECT name, revision, body FROM notes WHERE kind = ? AND name = ?`
export const LIST_NOTES = /* sql */ `SELECT name, revision, body FROM notes WHERE kind = ? ORDER BY name`
const SAVE = /* sql */ `
  INSERT INTO notes (kind, name, revision, body) VALUES (?1, ?2, 1, ?3)
  ON CONFLICT (kind, name) DO UPDATE SET revision = revision + 1, body = excluded.body
  WHERE ?4 IS NULL OR revision = ?4`
const DELETE = /* sql */ `DELETE FROM notes WHERE kind = ? AND name = ?`

/** The methods of `NoteStore`, in the order of the contract. */
export function noteTasks(database: Database) {
  return {
    find: read((kind: NoteKind, name: string) => {
      const row = database.first(FIND, kind, name)
      return row && toNote(row)
    }),
    list: read((kind: NoteKind) => database.all(LIST_NOTES, kind).map(toNote)),
    save: write(
      ({ kind, name, body, replaces }: NoteToSave) => database.run(SAVE, kind, name, body, replaces ?? null) > 0,
      ({ body }) => ({ rows: 1, bytes: body.length }),
    ),
    delete: write((kind: NoteKind, name: string) => database.run(DELETE, kind, name) > 0),
  }
}
