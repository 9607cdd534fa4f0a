/** Small things that this device keeps for the page. Where it may keep nothing, they last as long as the page. */

/** @returns undefined where nothing is kept, or nothing that can be read */
export function readKept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`daybook.${name}`) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** @returns whether it is kept now */
export function keep(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(`daybook.${name}`, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
