import { characters, displayWidth } from './text-width.js'

const COLOUR = /(\x1b\[[\d;]*m)/
/** Private-use characters. Every library measures these as one column. */
const FIRST = 0xf0000
const LAST = 0xffffd
const PLACEHOLDER = /[\u{f0000}-\u{ffffd}]/gu
const FILLER = String.fromCodePoint(LAST)

/**
 * Replaces characters that the table library measures wrongly, such as many joined emoji and marks, with characters of
 * one column.
 */
export class Placeholders {
  private readonly known = new Map<string, string>()
  private readonly originals = new Map<string, string>([[FILLER, '']])

  /** @returns a text that every library measures the same; keeps colours */
  put(text: string): string {
    if (/^[\x20-\x7e]*$/.test(text)) return text
    return text
      .split(COLOUR)
      .map((piece, at) => (at % 2 === 1 ? piece : this.putPlain(piece)))
      .join('')
  }

  private putPlain(text: string): string {
    let put = ''
    for (const character of characters(text)) {
      const width = displayWidth(character)
      put += width === 0 ? '' : this.placeholder(character) + FILLER.repeat(width - 1)
    }
    return put
  }

  /** Restores the original characters. */
  restore(text: string): string {
    return text.replaceAll(PLACEHOLDER, character => this.originals.get(character) ?? character)
  }

  private placeholder(character: string): string {
    const known = this.known.get(character)
    if (known !== undefined) return known
    const point = FIRST + this.known.size
    // No placeholders are left. The remaining characters appear as question marks.
    const placeholder = point < LAST ? String.fromCodePoint(point) : '?'
    this.known.set(character, placeholder)
    this.originals.set(placeholder, character)
    return placeholder
  }
}
