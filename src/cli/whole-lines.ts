/** Without an end for so long it is no line that anybody reads. */
const MAX_CHARACTERS = 64 * 1024

/** Text that comes in pieces, line by line: what is not a whole line yet waits for its end. */
export class WholeLines {
  #begun = ''

  /** @returns the lines that are whole now; empty when none is */
  add(text: string): string {
    const all = this.#begun + text
    const end = all.length > MAX_CHARACTERS ? all.length : all.lastIndexOf('\n') + 1
    this.#begun = all.slice(end)
    return all.slice(0, end)
  }

  /** What is left at the end. */
  rest(): string {
    return this.add('\n'.repeat(this.#begun === '' ? 0 : 1))
  }
}
