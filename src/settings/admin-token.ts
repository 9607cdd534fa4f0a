import { isAbsolute, join } from 'node:path'
import { readHome } from './home-folder.js'
import { expandHome } from './reading/paths.js'
import { headerWord, readDefaultSecretFile, readSecret } from './reading/secret-setting.js'
import type { SettingReader } from './reading/setting-reader.js'

const NAME = 'EVENT_ADMIN_TOKEN'

/**
 * The admin token: `EVENT_ADMIN_TOKEN`, else the file named by `EVENT_ADMIN_TOKEN_FILE`, else the first of the default
 * files that exists: `event/secrets/admin-token` in the home folder, in `$ARCH_HOME` and in `~/.arch`. A file that
 * exists but cannot be used is a problem, never "no token".
 *
 * @param home returns the home folder; pass it if it was read before, so that its problems are reported once
 *
 * Source: Event Ledger Service, "Authentication", rule 10.
 */
export function readAdminToken(reader: SettingReader, home = () => readHome(reader)): string | undefined {
  const named = readSecret(reader, NAME, { both: 'value wins' })
  const secret = named ?? (isNamed(reader) ? undefined : readDefault(reader, home()))
  return secret === undefined ? undefined : headerWord(reader, NAME, secret)
}

/** A configured token excludes the default files. */
function isNamed(reader: SettingReader): boolean {
  return reader.find(NAME) !== undefined || reader.find(`${NAME}_FILE`) !== undefined
}

/** Also searches the specified places, because the home folder may have been set only for the database. */
function readDefault(reader: SettingReader, home: string): string | undefined {
  for (const folder of new Set([home, ...otherHomes(reader, home)])) {
    const title = 'admin token file'
    const secret = readDefaultSecretFile(reader, title, join(folder, 'event', 'secrets', 'admin-token'))
    if (secret !== undefined || reader.hasRefused([title])) return secret
  }
  return undefined
}

function otherHomes(reader: SettingReader, home: string): string[] {
  const { env, homedir } = reader.sources
  const archHome = env.ARCH_HOME && expandHome(env.ARCH_HOME, homedir)
  if (archHome && archHome !== home && !isAbsolute(archHome)) {
    reader.refuseValue({ name: 'ARCH_HOME', value: archHome }, 'is not an absolute path')
  }
  return [...(archHome ? [archHome] : []), join(homedir, '.arch')]
}
