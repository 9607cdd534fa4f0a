/** Longer lines are passed on in pieces. */
const MAX_CHARACTERS = 64 * 1024

/** Joins text that arrives in pieces into lines, holding back an unfinished line. */
export class LineBuffer {
  #begun = ''

  /** @returns the lines completed so far; empty if there are none */
  add(text: string): string {
    const all = this.#begun + text
    const end = all.length > MAX_CHARACTERS ? all.length : all.lastIndexOf('\n') + 1
    this.#begun = all.slice(end)
    return all.slice(0, end)
  }

  /** The unfinished last line. */
  rest(): string {
    return this.add('\n'.repeat(this.#begun === '' ? 0 : 1))
  }
}
