import { safeEqual } from '../login/safe-equal.js'
import type { BoardSecrets } from '../model/board-secrets.js'
import { USER_LIMITS } from '../model/user.js'
import { headerWord, readPassword, readSecret } from './secret-setting.js'
import { place, type SettingReader } from './setting-reader.js'

/** Where the secrets of the board stand; `<name>_FILE` may name a file instead. */
const NAMES: Readonly<Record<keyof BoardSecrets, string>> = {
  password: 'BOARD_PASSWORD',
  authSecret: 'BOARD_AUTH_SECRET',
  apiKey: 'BOARD_API_KEY',
  executorToken: 'BOARD_EXECUTOR_TOKEN',
}

/** A shorter one could be guessed. People type the password, and programs all others. */
const ADVISED_CHARACTERS: Readonly<Record<keyof BoardSecrets, number>> = {
  password: 8,
  authSecret: 16,
  apiKey: 16,
  executorToken: 16,
}

/**
 * The secrets of the board, as part of a larger set, which ends with `reader.finish()`. One that somebody named but that
 * cannot be used is a problem and is absent here: it never counts as "not configured", which means open.
 *
 * Source: Board Access Gate, "Configuration"; decisions on security, section 3, "Board".
 */
export function readBoardSecrets(reader: SettingReader): BoardSecrets {
  const password = readLoginPassword(reader)
  const authSecret = readWatched(reader, NAMES.authSecret, readTrimmed)
  const apiKey = readHeaderSecret(reader, NAMES.apiKey)
  const executorToken = readHeaderSecret(reader, NAMES.executorToken)
  if (apiKey !== undefined && safeEqual(executorToken, apiKey)) {
    const detail = `${NAMES.executorToken} is the same as ${NAMES.apiKey}: whoever has the key could start real runs.`
    reader.refuse(NAMES.executorToken, `${detail} Take two different secrets.`)
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
  const password = readWatched(reader, NAMES.password, readPassword)
  if (password !== undefined && Buffer.byteLength(password) > USER_LIMITS.passwordBytes) {
    const detail = `${NAMES.password} is longer than ${USER_LIMITS.passwordBytes} bytes, so no login could send it.`
    reader.refuse(NAMES.password, `${detail} Take a shorter one.`)
  }
  return password
}

function readHeaderSecret(reader: SettingReader, name: string): string | undefined {
  const secret = readWatched(reader, name, readTrimmed)
  return secret === undefined ? undefined : headerWord(reader, name, secret)
}

function readTrimmed(reader: SettingReader, name: string): string | undefined {
  return readSecret(reader, name, { both: 'refused' })
}

/** These files are read again and again: a pipe would give its text once and then keep the whole board waiting. */
function readWatched(
  reader: SettingReader,
  name: string,
  read: (reader: SettingReader, name: string) => string | undefined,
): string | undefined {
  const file = reader.find(`${name}_FILE`)
  if (!file || reader.sources.standsAt(reader.path(file.value)) !== 'something else') return read(reader, name)
  reader.refuse(file.name, `${file.name} "${reader.path(file.value)}"${place(file)} is not a regular file. Name one.`)
  return undefined
}

function warnOfWeakSecrets(reader: SettingReader, secrets: BoardSecrets): void {
  const known = Object.entries(secrets) as [keyof BoardSecrets, string][]
  for (const [index, [kind, secret]] of known.entries()) {
    const advised = ADVISED_CHARACTERS[kind]
    if (secret.length < advised) {
      reader.warn(`${NAMES[kind]} is shorter than ${advised} characters. Take a longer one, made by chance.`)
    }
    for (const [other, otherSecret] of known.slice(index + 1)) {
      if (safeEqual(secret, otherSecret)) {
        reader.warn(`${NAMES[kind]} and ${NAMES[other]} are the same. Take two different secrets.`)
      }
    }
  }
}
