import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }
const LAST = 0x10ffff

/**
 * Any character, as the unit of `fc.string`. fast-check's own unit `binary` builds a table of a million characters for
 * shrinking, which takes each process two seconds.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map(number => String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count))
