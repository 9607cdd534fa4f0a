/** Unsaved input, kept for this window across a login. */

const PREFIX = 'daybook.draft.'

const writers = new Map<string, () => unknown>()

/**
 * Stores the result of `write` if a login interrupts.
 *
 * @param name of the form, such as `subscription:new`
 * @param write returns the draft as JSON, without secrets; undefined if there is nothing to keep
 * @returns unregisters it; call it when the form is closed or sent
 */
export function registerDraft(name: string, write: () => unknown): () => void {
  writers.set(name, write)
  return () => {
    if (writers.get(name) === write) writers.delete(name)
  }
}

/** Returns and removes the draft stored under that name. */
export function takeDraft(name: string): unknown {
  try {
    const text = sessionStorage.getItem(PREFIX + name)
    sessionStorage.removeItem(PREFIX + name)
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns whether anything was stored */
export function keepDrafts(): boolean {
  let isKept = false
  for (const [name, write] of writers) {
    const draft = write()
    if (draft === undefined) continue
    try {
      sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))
      isKept = true
    } catch {
      // Storage is full: the login continues without this draft.
      console.warn(`The draft ${name} could not be kept.`)
    }
  }
  return isKept
}
