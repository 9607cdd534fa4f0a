import { toListedSource, tooManySources, toSourceWithSecrets } from '../../rows/stored-source.js'
import type { SourceToSave } from '../../source-store.js'
import type { Database } from '../files/database.js'
import { read, write } from '../thread/task.js'

export const SOURCE_TABLES = /* sql */ `
  CREATE TABLE sources (
    name TEXT PRIMARY KEY, body TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Apart from the definitions: only verifying a delivery reads them.
  CREATE TABLE source_secrets (name TEXT PRIMARY KEY, secrets TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

const FIND = /* sql */ `
  SELECT body, created_at, updated_at, secrets FROM sources LEFT JOIN source_secrets USING (name) WHERE name = ?`
export const LIST_SOURCES = /* sql */ `
  SELECT body, created_at, updated_at, secrets FROM sources LEFT JOIN source_secrets USING (name) ORDER BY name`
const COUNT = /* sql */ `SELECT count(*) AS count FROM sources`
const SAVE = /* sql */ `
  INSERT INTO sources (name, body, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)
  ON CONFLICT (name) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`
const SAVE_SECRETS = /* sql */ `
  INSERT INTO source_secrets (name, secrets) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET secrets = excluded.secrets`
const DELETE = /* sql */ `DELETE FROM sources WHERE name = ?`
const DELETE_SECRETS = /* sql */ `DELETE FROM source_secrets WHERE name = ?`

/** The methods of `SourceStore`, in the order of the contract. */
export function sourceTasks(database: Database) {
  const find = (name: string) => database.first(FIND, name)
  return {
    find: read((name: string) => {
      const row = find(name)
      return row && toSourceWithSecrets(row)
    }),
    list: read(() => database.all(LIST_SOURCES).map(toListedSource)),
    save: write(({ definition, secrets, now }: SourceToSave, most: number) => {
      const { name } = definition
      const created = find(name) === undefined
      if (created && Number(database.first(COUNT)?.count) >= most) return tooManySources(most)
      database.run(SAVE, name, JSON.stringify(definition), now)
      if (secrets !== undefined) database.run(SAVE_SECRETS, name, JSON.stringify(secrets))
      const saved = find(name)
      if (saved === undefined) throw new Error(`The source ${name} is missing after it was saved.`)
      return { created, source: toListedSource(saved) }
    }),
    delete: write((name: string) => {
      database.run(DELETE_SECRETS, name)
      return database.run(DELETE, name) > 0
    }),
  }
}
