import { safeEqual } from '../../login/safe-equal.js'
import { USER_LIMITS } from '../../model/accounts/user.js'
import type { BoardSecrets } from '../../model/board/board-secrets.js'
import { headerWord, readPassword, readSecret } from '../reading/secret-setting.js'
import type { SettingReader } from '../reading/setting-reader.js'

/** The settings of the board's secrets; `<name>_FILE` may name a file instead. */
const NAMES: Readonly<Record<keyof BoardSecrets, string>> = {
  password: 'BOARD_PASSWORD',
  authSecret: 'BOARD_AUTH_SECRET',
  apiKey: 'BOARD_API_KEY',
  executorToken: 'BOARD_EXECUTOR_TOKEN',
}

/** Recommended minimum lengths; shorter secrets could be guessed. People type the password, programs send the rest. */
const ADVISED_CHARACTERS: Readonly<Record<keyof BoardSecrets, number>> = {
  password: 8,
  authSecret: 16,
  apiKey: 16,
  executorToken: 16,
}

/**
 * The secrets of the board, as part of a larger set that ends with `reader.finish()`. A configured secret that cannot
 * be read is a problem, and is absent here. It never counts as "not configured", which means open.
 *
 * Source: Board Access Gate, "Configuration"; decisions on security, section 3, "Board".
 */
export function readBoardSecrets(reader: SettingReader): BoardSecrets {
  const password = readLoginPassword(reader)
  const authSecret = readTrimmed(reader, NAMES.authSecret)
  const apiKey = readHeaderSecret(reader, NAMES.apiKey)
  const executorToken = readHeaderSecret(reader, NAMES.executorToken)
  if (apiKey !== undefined && safeEqual(executorToken, apiKey)) {
    const detail = `${NAMES.executorToken} is the same as ${NAMES.apiKey}: anyone with the key could start real runs.`
    reader.refuse(NAMES.executorToken, `${detail} Use two different secrets.`)
  }
  const secrets: BoardSecrets = {}
  for (const [kind, secret] of Object.entries({ password, authSecret, apiKey, executorToken })) {
    const name = NAMES[kind as keyof BoardSecrets]
    if (secret !== undefined && !reader.hasRefused([name, `${name}_FILE`])) secrets[kind as keyof BoardSecrets] = secret
  }
  warnOfWeakSecrets(reader, secrets)
  return secrets
}

function readLoginPassword(reader: SettingReader): string | undefined {
  const password = readPassword(reader, NAMES.password)
  if (password !== undefined && Buffer.byteLength(password) > USER_LIMITS.passwordBytes) {
    const detail = `${NAMES.password} is longer than ${USER_LIMITS.passwordBytes} bytes, so no login could send it.`
    reader.refuse(NAMES.password, `${detail} Use a shorter one.`)
  }
  return password
}

function readHeaderSecret(reader: SettingReader, name: string): string | undefined {
  const secret = readTrimmed(reader, name)
  return secret === undefined ? undefined : headerWord(reader, name, secret)
}

function readTrimmed(reader: SettingReader, name: string): string | undefined {
  return readSecret(reader, name, { both: 'refused' })
}

function warnOfWeakSecrets(reader: SettingReader, secrets: BoardSecrets): void {
  const known = Object.entries(secrets) as [keyof BoardSecrets, string][]
  for (const [index, [kind, secret]] of known.entries()) {
    const advised = ADVISED_CHARACTERS[kind]
    if (secret.length < advised) {
      reader.warn(`${NAMES[kind]} is shorter than ${advised} characters. Use a longer, random one.`)
    }
    for (const [other, otherSecret] of known.slice(index + 1)) {
      if (safeEqual(secret, otherSecret)) {
        reader.warn(`${NAMES[kind]} and ${NAMES[other]} are the same. Use two different secrets.`)
      }
    }
  }
}
