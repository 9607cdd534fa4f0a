interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

/**
 * A key as bindings name it: `j`, `J` (with Shift), `?`, `Escape`, `Shift+ArrowUp`, `Mod+k`. `Mod` is Ctrl or Command.
 */
export function strokeOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  // For printable characters Shift is already part of the character.
  const shift = shiftKey && [...key].length > 1 ? 'Shift+' : ''
  return `${ctrlKey || metaKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shift}${key === ' ' ? 'Space' : key}`
}

/** Whether the key types a character, so it is inactive in text fields and can be switched off. */
export function isSingleKey(stroke: string): boolean {
  return [...stroke].length === 1
}

const SECOND_STROKE_MS = 1200

/** Matches one stroke, or a sequence of two (`g e`). */
export class StrokeMatcher {
  #first = ''
  #firstAt = 0

  /**
   * @param sequences all active ones: `j`, `g e`
   * @param now milliseconds of any clock
   * @returns the completed one; `pending` if a second stroke may follow
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
