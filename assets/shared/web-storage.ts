/** Small values stored on this device, or for this window. Without storage they last as long as the page. */

type Where = 'localStorage' | 'sessionStorage'

/** @returns undefined if nothing readable is stored */
export function readStored(name: string, where: Where = 'localStorage'): unknown {
  try {
    return JSON.parse(window[where].getItem(`daybook.${name}`) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** @param value undefined removes it @returns whether it was stored */
export function saveStored(name: string, value: unknown, where: Where = 'localStorage'): boolean {
  try {
    if (value === undefined) window[where].removeItem(`daybook.${name}`)
    else window[where].setItem(`daybook.${name}`, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
