import { characters, displayWidth } from './text-width.js'

const COLOUR = /(\x1b\[[\d;]*m)/
/** Private-use characters, measured as one column everywhere. */
const FIRST = 0xf0000
const LAST = 0xffffd
const PLACEHOLDER = /[\u{f0000}-\u{ffffd}]/gu
const FILLER = String.fromCodePoint(LAST)

/**
 * Substitutes one-column characters for others that the table library measures wrongly: it knows few joined emoji and
 * marks.
 */
export class Placeholders {
  private readonly known = new Map<string, string>()
  private readonly originals = new Map<string, string>([[FILLER, '']])

  /** @returns a text whose width every library measures alike; keeps colours */
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
    // Out of substitutes: the remaining characters appear as a question mark.
    const placeholder = point < LAST ? String.fromCodePoint(point) : '?'
    this.known.set(character, placeholder)
    this.originals.set(placeholder, character)
    return placeholder
  }
}
