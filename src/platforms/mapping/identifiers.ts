/**
 * Converts platform data to identifiers: bounded, and with exactly one UTF-8 form.
 *
 * The limits add up to less than the 512 characters of a dedupe key and the 128 of a kind, so the ledger refuses no
 * text from here.
 */

import { createHash } from 'node:crypto'
import { trimOf } from '../../model/trim.js'

const LIMITS = { host: 80, word: 60, id: 200, discriminator: 100 } as const

const ORDINARY_WORD = /^[a-z][a-z0-9_]{0,59}$/u
/** `\p{Cs}` under the `u` flag matches a lone surrogate. */
const WITHOUT_ONE_FORM = /[\0\p{Cs}]/u

interface KeyParts {
  source: string
  /** The instance, because ids are unique only there. */
  host: string
  /** From `toWord`. */
  objectType: string
  /** Native id or path of the object. */
  id: string
  /** From `toWord`. */
  verb: string
  /** Distinguishes this occurrence from the next of the same kind. Absent for events that happen once. */
  discriminator?: string | undefined
}

/**
 * `<source>:<host>:<object_type>:<native id>:<verb>[:<discriminator>]`, 1 to 512 characters. Equal parts always give
 * the same key. A digest replaces a part that is too long, or has no unique UTF-8 form.
 */
export function toDedupeKey(parts: KeyParts): string {
  const host = bounded(parts.host, LIMITS.host)
  const id = bounded(parts.id, LIMITS.id)
  const key = `${parts.source}:${host}:${parts.objectType}:${id}:${parts.verb}`
  return parts.discriminator === undefined ? key : `${key}:${bounded(parts.discriminator, LIMITS.discriminator)}`
}

/** A text usable as `subject_id` or in a node's key: the text itself, or its digest. */
export function toIdentifier(text: string): string {
  return bounded(text, LIMITS.id)
}

/**
 * Converts a platform's word to an object type or verb: lower case, letters, digits, `_` and `-`, at most 60
 * characters.
 *
 * @returns undefined if nothing remains
 */
export function toWord(text: string | undefined): string | undefined {
  if (text === undefined || ORDINARY_WORD.test(text)) return text
  const word = text
    .slice(0, 2 * LIMITS.word)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, '_')
  return trimOf([...word].slice(0, LIMITS.word).join(''), '_') || undefined
}

/** SHA-256 in hex, over the bytes, or over the text's UTF-16 code units, so that no two texts share a digest. */
export function digestOf(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf16le') : content
  return createHash('sha256').update(bytes).digest('hex')
}

/** The start of a digest, enough to distinguish edits of one object within one second. */
export function shortDigest(text: string): string {
  return digestOf(text).slice(0, 16)
}

function bounded(text: string, characters: number): string {
  // A text has at least as many code units as characters, so this limit is safe.
  return text.length <= characters && !WITHOUT_ONE_FORM.test(text) ? text : `sha256-${digestOf(text)}`
}
