import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const DEBIAN = '/usr/lib/postgresql'

/** To test with another version. */
const NAMED = 'DAYBOOK_TEST_POSTGRES_PROGRAMS'

/** The folder of the programs that the environment names, or of the newest installed PostgreSQL server; undefined if there is none. */
export function findPostgres(): string | undefined {
  if (process.env[NAMED]) return process.env[NAMED]
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((left, right) => Number(right) - Number(left)) : []
  return versions.map(version => join(DEBIAN, version, 'bin')).find(folder => existsSync(join(folder, 'initdb')))
}
