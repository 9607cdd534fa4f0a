import { digestOf } from '../identity.js'
import { objectAt, type Payload, textAt } from '../payload.js'

/** Enough to distinguish edits within one second. Hexadecimal digits. */
const DIGITS = 16

/**
 * Distinguishes two edits of one object: times have a resolution of one second, and an object may be edited twice in
 * it. The delivery contains the text after the edit, so a redelivery or second hook gives the same digest.
 */
export function editedText(object: Payload | undefined): string {
  const words = ['title', 'name', 'body', 'content', 'tag_name'].map(member => textAt(object, member) ?? '')
  return shortDigest([...words, textAt(objectAt(object, 'base'), 'ref') ?? textAt(object, 'ref') ?? ''])
}

/** Distinguishes any difference in these values. */
export function shortDigest(value: unknown): string {
  return digestOf(JSON.stringify(value)).slice(0, DIGITS)
}
