/** What of a keyboard event says which key that was. */
export interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/**
 * A key by the name that bindings use: `j`, `J` (with Shift), `?`, `Escape`, `Shift+ArrowUp`, `Mod+k`. `Mod` is Ctrl, or
 * the command key.
 */
export function strokeOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  // Of what is printed, Shift has made something else already.
  const shift = shiftKey && [...key].length > 1 ? 'Shift+' : ''
  return `${ctrlKey || metaKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shift}${key === ' ' ? 'Space' : key}`
}

/** A key that is printed when pressed, so it rests where one types, and can be switched off. */
export function isSingleKey(stroke: string): boolean {
  return [...stroke].length === 1
}

/** How long the second stroke of two may take, in milliseconds. */
const SECOND_STROKE_MS = 1200

/** Finds what was meant by one stroke, or by two (`g e`). */
export class StrokeMatcher {
  #first = ''
  #firstAt = 0

  /**
   * @param sequences all that may be meant now: `j`, `g e`
   * @param now milliseconds of any clock
   * @returns the one that is complete; `pending` when a second stroke may follow
   */
  match(stroke: string, sequences: readonly string[], now: number): string | 'pending' | undefined {
    const begun = this.#first !== '' && now - this.#firstAt <= SECOND_STROKE_MS ? `${this.#first} ${stroke}` : undefined
    this.#first = ''
    if (begun !== undefined && sequences.includes(begun)) return begun
    if (sequences.includes(stroke)) return stroke
    if (!sequences.some(sequence => sequence.startsWith(`${stroke} `))) return undefined
    this.#first = stroke
    this.#firstAt = now
    return 'pending'
  }
}
