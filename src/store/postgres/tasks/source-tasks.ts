import { toListedSource, tooManySources, toSourceWithSecrets } from '../../rows/stored-source.js'
import type { SourceStore } from '../../source-store.js'
import type { Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'
import { READ_STATE, refuseUnwritable } from '../write/refuse-unwritable.js'

const FIND = /* sql */ `
  SELECT body, created_at, updated_at, secrets FROM sources LEFT JOIN source_secrets USING (name) WHERE name = $1`
export const LIST_SOURCES = /* sql */ `
  SELECT body, created_at, updated_at, secrets FROM sources LEFT JOIN source_secrets USING (name) ORDER BY name`
/** Changes run one after the other, so that no two servers exceed the limit together. */
const HOLD = /* sql */ `LOCK TABLE sources IN SHARE ROW EXCLUSIVE MODE`
const COUNT = /* sql */ `SELECT count(*) AS count FROM sources`
const SAVE = /* sql */ `
  INSERT INTO sources (name, body, created_at, updated_at) VALUES ($1, $2, $3, $3)
  ON CONFLICT (name) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`
const SAVE_SECRETS = /* sql */ `
  INSERT INTO source_secrets (name, secrets) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET secrets = excluded.secrets`
const DELETE = /* sql */ `DELETE FROM sources WHERE name = $1 RETURNING name`
const DELETE_SECRETS = /* sql */ `DELETE FROM source_secrets WHERE name = $1`

export function sourceTasks(pool: Pool): SourceStore {
  const findIn = async (connection: Pick<Connection, 'run'>, name: string) => (await connection.run(FIND, name))[0]
  return {
    find: async name => {
      const row = isStorable(name) ? await findIn(pool, name) : undefined
      return row && toSourceWithSecrets(row)
    },
    list: async () => (await pool.run(LIST_SOURCES)).map(toListedSource),
    save: ({ definition, secrets, now }, most) =>
      pool.transaction(async connection => {
        const { name } = definition
        await hold(connection)
        const created = (await findIn(connection, name)) === undefined
        if (created && Number((await connection.run(COUNT))[0]?.count) >= most) throw tooManySources(most)
        await connection.run(SAVE, name, JSON.stringify(definition), now)
        if (secrets !== undefined) await connection.run(SAVE_SECRETS, name, JSON.stringify(secrets))
        const saved = await findIn(connection, name)
        if (saved === undefined) throw new Error(`The source ${name} is missing after it was saved.`)
        return { created, source: toListedSource(saved) }
      }),
    delete: async name => {
      if (!isStorable(name)) return false
      return pool.transaction(async connection => {
        await hold(connection)
        await connection.run(DELETE_SECRETS, name)
        return (await connection.run(DELETE, name)).length > 0
      })
    },
  }
}

async function hold(connection: Connection): Promise<void> {
  await connection.run(HOLD)
  refuseUnwritable((await connection.run(READ_STATE))[0])
}
