/** Small values stored on this device. Without storage they last as long as the page. */

/** @returns undefined if nothing readable is stored */
export function readLocal(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`daybook.${name}`) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** @returns whether it was stored */
export function saveLocal(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(`daybook.${name}`, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
