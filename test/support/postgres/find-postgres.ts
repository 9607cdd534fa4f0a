import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const DEBIAN = '/usr/lib/postgresql'

/** The folder of the newest installed PostgreSQL server; undefined if there is none. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((left, right) => Number(right) - Number(left)) : []
  return versions.map(version => join(DEBIAN, version, 'bin')).find(folder => existsSync(join(folder, 'initdb')))
}
