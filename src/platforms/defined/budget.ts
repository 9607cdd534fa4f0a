/** Allowances of every delivery, in addition to its own size. A step takes about 25 ns. */
const STEPS = 2_000_000
const CHARACTERS = 8 * 1024 * 1024
const REPEATED = 16 * 1024 * 1024
/** Allowance for an ordinary batch of records, in which the data around a record has up to four times its size. */
const REPEATED_A_SIZE = 4
/** Copying this many members takes 100 ms in objects with thousands of members. */
const COPIED = 200_000
/** Allowance for a value, which takes more time and memory than its text. */
const VALUE = 32

/** The reason why a delivery is not mapped, but kept whole. */
export class NotMapped extends Error {}

/**
 * Limits the work of mapping one delivery, because small deliveries are mapped on the thread that answers all requests.
 * Each item of a list reads all places again, and repeats the texts around the list.
 */
export class Budget {
  #steps: number
  #characters: number
  #repeated: number
  #copied = COPIED

  constructor(root: unknown) {
    const size = sizeOf(root)
    this.#steps = STEPS + size
    this.#characters = CHARACTERS + size
    this.#repeated = REPEATED + REPEATED_A_SIZE * size
  }

  /** @param steps members that are read, or items that are compared; @throws NotMapped */
  takeSteps(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new NotMapped('Its items are too many for the places and conditions of the definition.')
  }

  /** @param size size of what the event of an item repeats; @param copied members copied for it; @throws NotMapped */
  takeRepeated({ size, copied }: { size: number; copied: number }): void {
    this.#repeated -= size
    this.#copied -= copied
    if (this.#repeated < 0 || this.#copied < 0) {
      throw new NotMapped('The list has too many items for what is around it, which the event of each item repeats.')
    }
  }

  /** @param characters length of a text that a value reads or results in; @throws NotMapped */
  takeCharacters(characters: number): void {
    this.#characters -= characters
    if (this.#characters < 0) {
      throw new NotMapped('The values of its events have too much text together: each item repeats what is around it.')
    }
  }
}

/** Approximate length of a value as JSON, plus an allowance per value in it. @param except a member or item to skip */
export function sizeOf(value: unknown, except?: string | number): number {
  if (typeof value === 'string') return VALUE + value.length
  if (typeof value !== 'object' || value === null) return VALUE
  let size = VALUE
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (index !== except) size += sizeOf(value[index])
    return size
  }
  for (const [name, member] of Object.entries(value)) size += name.length + (name === except ? 0 : sizeOf(member))
  return size
}
