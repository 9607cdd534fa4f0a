/**
 * Turning what a platform sent into texts that can identify: bounded, and with exactly one form in UTF-8.
 *
 * The bounds add up to less than the 512 characters of a dedupe key and the 128 of a kind, so nothing that is built
 * here can be refused by the ledger, whatever was sent.
 */
import { createHash } from 'node:crypto'

const LIMITS = { host: 80, word: 60, id: 200, discriminator: 100 } as const

const ORDINARY_WORD = /^[a-z][a-z0-9_]{0,59}$/u
/** `\p{Cs}` under the `u` flag is a surrogate without its partner. */
const WITHOUT_ONE_FORM = /[\0\p{Cs}]/u

export interface KeyParts {
  source: string
  /** The instance, as ids are only unique there. */
  host: string
  /** A word, as made by `toWord`. */
  objectType: string
  /** Native id or path of the object. */
  id: string
  /** A word, as made by `toWord`. */
  verb: string
  /** What tells this occurrence from the next one of the same kind; absent for what happens once. */
  discriminator?: string | undefined
}

/**
 * `<source>:<host>:<object_type>:<native id>:<verb>[:<discriminator>]`, 1 to 512 characters, equal parts always giving
 * the equal key. A part that is too long, or that has no one form in UTF-8, stands there as its digest.
 */
export function toDedupeKey(parts: KeyParts): string {
  const host = bounded(parts.host, LIMITS.host)
  const id = bounded(parts.id, LIMITS.id)
  const key = `${parts.source}:${host}:${parts.objectType}:${id}:${parts.verb}`
  return parts.discriminator === undefined ? key : `${key}:${bounded(parts.discriminator, LIMITS.discriminator)}`
}

/** A text that can stand as `subject_id` or in a node's key: the text itself, or its digest. */
export function toIdentifier(text: string): string {
  return bounded(text, LIMITS.id)
}

/**
 * A word for an object type or a verb, from a platform's own: lower case, letters, digits, `_` and `-`, at most 60
 * characters.
 *
 * @returns undefined when nothing of it is left
 */
export function toWord(text: string | undefined): string | undefined {
  if (text === undefined || ORDINARY_WORD.test(text)) return text
  const word = text
    .slice(0, 2 * LIMITS.word)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, '_')
  return (
    [...word]
      .slice(0, LIMITS.word)
      .join('')
      .replace(/^_+|_+$/gu, '') || undefined
  )
}

/** SHA-256 in hex, over the bytes or over the text's UTF-16 code units (so that no two texts share one form). */
export function digestOf(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf16le') : content
  return createHash('sha256').update(bytes).digest('hex')
}

function bounded(text: string, characters: number): string {
  // Code units are never fewer than characters, so this is on the safe side.
  return text.length <= characters && !WITHOUT_ONE_FORM.test(text) ? text : `sha256-${digestOf(text)}`
}
