import { dirname } from 'node:path'
import { whyUnreadable } from '../../model/files/regular-file.js'
import { type FoundSetting, place, type SettingReader } from './setting-reader.js'

const MAX_CHARACTERS = 64 * 1024
/** Printable ASCII without blanks, safe in a header. */
const HEADER_WORD = /^[\x21-\x7e]{1,512}$/

/**
 * The text of a secret in the setting `name`, or in the file that `<name>_FILE` names. A configured secret must exist:
 * a file that is missing, unreadable or empty is a problem, never "no secret".
 *
 * @returns the text, trimmed; absent if neither is set
 */
export function readSecret(
  reader: SettingReader,
  name: string,
  options: { both: 'refused' | 'value wins' },
): string | undefined {
  return readValueOrFile(reader, name, { ...options, ofValue: withoutBlankEnds, ofFile: withoutBlankEnds })
}

/**
 * A typed password, in the setting `name`, or in the file that `<name>_FILE` names, but not in both. It is not trimmed,
 * because blanks may belong to it; a file loses only its final line end. Otherwise like `readSecret`.
 */
export function readPassword(reader: SettingReader, name: string): string | undefined {
  return readValueOrFile(reader, name, { both: 'refused', ofValue: whole, ofFile: withoutLineEnd })
}

interface SecretForm {
  both: 'refused' | 'value wins'
  ofValue: ToSecret
  ofFile: ToSecret
}

function readValueOrFile(reader: SettingReader, name: string, form: SecretForm): string | undefined {
  // For other settings, an empty value means none. For a secret, that could open what should be closed.
  const file = reader.findEvenEmpty(`${name}_FILE`)
  const value = reader.findEvenEmpty(name)
  if (value?.value && file?.value && form.both === 'refused') {
    reader.refuse(name, `${name} and ${file.name} are both set${place(file)}. Keep one of them.`)
    return undefined
  }
  if (file?.value && !value?.value) return readSecretFile(reader, file, form.ofFile)
  const secret = value && form.ofValue(value.value)
  const empty = secret ? undefined : (value ?? file)
  if (empty) reader.refuse(empty.name, `${empty.name}${place(empty)} is empty. Give it a value, or remove it.`)
  return secret || undefined
}

/**
 * The password in the file that the setting `name` names: the whole text except the final line end, because blanks may
 * belong to a password.
 */
export function readPasswordFile(reader: SettingReader, name: string): string | undefined {
  const file = reader.findEvenEmpty(name)
  if (file?.value === '') reader.refuse(name, `${name}${place(file)} is empty. Name a file, or remove it.`)
  return file?.value ? readSecretFile(reader, file, withoutLineEnd) : undefined
}

/** A secret sent in a header. */
export function headerWord(reader: SettingReader, name: string, secret: string): string {
  if (!HEADER_WORD.test(secret)) reader.refuse(name, `${name} is not one word of up to 512 printable ASCII characters.`)
  return secret
}

/** Extracts the secret from a file's text. */
type ToSecret = (text: string) => string

const withoutBlankEnds: ToSecret = text => text.trim()
const whole: ToSecret = text => text

/** Removes the line end that editors and `echo` append. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}

/** The secret in the file that a flag names. */
export function readGivenSecretFile(reader: SettingReader, file: FoundSetting): string | undefined {
  return readSecretFile(reader, file, withoutBlankEnds)
}

/** The secret in a configured file. */
function readSecretFile(reader: SettingReader, file: FoundSetting, toSecret: ToSecret): string | undefined {
  const path = reader.path(file.value)
  try {
    return checkedSecret(reader, { name: file.name, path, toSecret }, reader.sources.readTextFile(path))
  } catch (error) {
    const refusal = `${file.name} "${path}"${place(file)} ${whyUnreadable(error).text}. Name a file that can be read.`
    reader.refuse(file.name, refusal)
    return undefined
  }
}

/** The secret in a default file. The file may be missing, but an existing file must be usable. */
export function readDefaultSecretFile(reader: SettingReader, title: string, path: string): string | undefined {
  try {
    const file = { name: title, path, toSecret: withoutBlankEnds }
    return checkedSecret(reader, file, reader.sources.readTextFile(path))
  } catch (error) {
    const reason = whyUnreadable(error)
    const inTheWay = obstacleTo(path, reader)
    if (inTheWay) reader.refuse(title, `${title} "${path}" cannot be read: ${inTheWay}.`)
    else if (!reason.missing) reader.refuse(title, `${title} "${path}" ${reason.text}.`)
    return undefined
  }
}

/** The obstacle, if the file exists but cannot be reached. */
function obstacleTo(path: string, { sources }: SettingReader): string | undefined {
  const folder = dirname(path)
  if (sources.kindOfPath(folder) === 'a file') return `"${folder}" is a file`
  const link = [path, folder].find(place => sources.kindOfPath(place) === 'a broken link')
  return link && `"${link}" is a broken link`
}

interface SecretFile {
  /** Its name in an error. */
  name: string
  path: string
  toSecret: ToSecret
}

function checkedSecret(reader: SettingReader, { name, path, toSecret }: SecretFile, text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) {
    reader.refuse(name, `${name} "${path}" is larger than 64 KiB, too large for a secret.`)
    return undefined
  }
  if (text.includes('\ufffd')) {
    reader.refuse(name, `${name} "${path}" is not UTF-8.`)
    return undefined
  }
  if (reader.sources.isOpenToOthers(path)) {
    reader.warn(`${name} "${path}" can be read or changed by other users. Run "chmod 600" on it.`)
  }
  const secret = toSecret(text)
  if (!secret) reader.refuse(name, `${name} "${path}" is empty. Write the secret into it.`)
  return secret || undefined
}
