import { dirname } from 'node:path'
import { type FoundSetting, place, type SettingReader } from './setting-reader.js'
import { whyUnreadable } from './unreadable.js'

const MAX_CHARACTERS = 64 * 1024
/** What may stand in a header, without blanks. */
const HEADER_WORD = /^[\x21-\x7e]{1,512}$/

/**
 * The text of a secret that may stand in the setting `name` or in the file named by `<name>_FILE`. Whoever names
 * a secret means to have one: a file that is missing, unreadable or empty is a problem, never "no secret".
 *
 * @returns without blank ends; absent when neither is set
 */
export function readSecret(
  reader: SettingReader,
  name: string,
  options: { both: 'refused' | 'value wins' },
): string | undefined {
  return readValueOrFile(reader, name, { ...options, ofValue: withoutBlankEnds, ofFile: withoutBlankEnds })
}

/**
 * A password that people type, in the setting `name` or in the file named by `<name>_FILE`, but not in both. As it is,
 * since blanks may belong to it; of a file all but the end of its line. Otherwise as `readSecret`.
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
  const file = findEvenEmpty(reader, `${name}_FILE`)
  const value = findEvenEmpty(reader, name)
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
 * The password in the file that the setting `name` names: the whole of it but the end of its line, since blanks may
 * belong to a password.
 */
export function readPasswordFile(reader: SettingReader, name: string): string | undefined {
  const file = findEvenEmpty(reader, name)
  if (file?.value === '') reader.refuse(name, `${name}${place(file)} is empty. Name a file, or remove it.`)
  return file?.value ? readSecretFile(reader, file, withoutLineEnd) : undefined
}

/** A secret that is sent in a header. */
export function headerWord(reader: SettingReader, name: string, secret: string): string {
  if (!HEADER_WORD.test(secret)) reader.refuse(name, `${name} is not one word of up to 512 printable ASCII characters.`)
  return secret
}

/** What of a file's text is the secret. */
type ToSecret = (text: string) => string

const withoutBlankEnds: ToSecret = text => text.trim()
const whole: ToSecret = text => text

/** A line as editors and `echo` leave it, without its end. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}

/** The secret in a file that was named. */
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

/** The secret in a file that nobody named: there need not be one, but one that is there must be usable. */
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

/** Somebody meant to have the file, though it cannot be reached. */
function obstacleTo(path: string, { sources }: SettingReader): string | undefined {
  const folder = dirname(path)
  if (sources.standsAt(folder) === 'a file') return `"${folder}" is a file`
  const link = [path, folder].find(place => sources.standsAt(place) === 'a broken link')
  return link && `"${link}" is a link that leads nowhere`
}

interface SecretFile {
  /** What to call it. */
  name: string
  path: string
  toSecret: ToSecret
}

function checkedSecret(reader: SettingReader, { name, path, toSecret }: SecretFile, text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) {
    reader.refuse(name, `${name} "${path}" is larger than 64 KiB. That is no secret.`)
    return undefined
  }
  if (text.includes('\ufffd')) {
    reader.refuse(name, `${name} "${path}" is not UTF-8.`)
    return undefined
  }
  if (reader.sources.isOpenToOthers(path)) {
    reader.warn(`${name} "${path}" may be read or changed by others than its owner. "chmod 600" forbids it.`)
  }
  const secret = toSecret(text)
  if (!secret) reader.refuse(name, `${name} "${path}" is empty. Write the secret into it.`)
  return secret || undefined
}

/** Other settings take an empty value for none; for a secret that could open what was meant to be closed. */
function findEvenEmpty(reader: SettingReader, name: string): FoundSetting | undefined {
  const found = reader.find(name)
  if (found) return found
  if (reader.sources.env[name] !== undefined) return { name, value: '' }
  return reader.shared.values.get(name) === undefined ? undefined : { name, value: '', file: reader.shared.path }
}
