import { join } from 'node:path'
import { readHome } from './database-setting.js'
import { headerWord, readDefaultSecretFile, readSecret } from './secret-setting.js'
import type { SettingReader } from './setting-reader.js'

const NAME = 'EVENT_ADMIN_TOKEN'

/**
 * The admin token, by its precedence: `EVENT_ADMIN_TOKEN`, the file named by `EVENT_ADMIN_TOKEN_FILE`,
 * `<home>/event/secrets/admin-token` if it is there. A file that cannot be used is a problem, never "no token".
 *
 * @param home where it was read already, so that what is wrong with it is told once
 *
 * Source: Event Ledger Service, "Authentication", rule 10.
 */
export function readAdminToken(reader: SettingReader, home = () => readHome(reader)): string | undefined {
  const named = readSecret(reader, NAME, { both: 'value wins' })
  const secret = named ?? (isNamed(reader) ? undefined : readDefault(reader, home()))
  return secret === undefined ? undefined : headerWord(reader, NAME, secret)
}

/** Whoever names a token never means the one in the default file. */
function isNamed(reader: SettingReader): boolean {
  return reader.find(NAME) !== undefined || reader.find(`${NAME}_FILE`) !== undefined
}

function readDefault(reader: SettingReader, home: string): string | undefined {
  return readDefaultSecretFile(reader, 'admin token file', join(home, 'event', 'secrets', 'admin-token'))
}
