/** What somebody was writing, kept for this window across a login. */

const PREFIX = 'daybook.draft.'

const writers = new Map<string, () => unknown>()

/**
 * Keeps what `write` gives when a login comes in between.
 *
 * @param name of the form, such as `subscription:new`
 * @param write the draft as JSON can say it, never a secret; undefined when there is nothing to keep
 * @returns ends it; to be called when the form is closed or sent
 */
export function registerDraft(name: string, write: () => unknown): () => void {
  writers.set(name, write)
  return () => {
    if (writers.get(name) === write) writers.delete(name)
  }
}

/** The draft that was kept under that name, once. */
export function takeDraft(name: string): unknown {
  try {
    const text = sessionStorage.getItem(PREFIX + name)
    sessionStorage.removeItem(PREFIX + name)
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns whether there was anything to keep, and it is kept */
export function keepDrafts(): boolean {
  let isKept = false
  for (const [name, write] of writers) {
    const draft = write()
    if (draft === undefined) continue
    try {
      sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))
      isKept = true
    } catch {
      // There is no room: the login goes on without this draft.
      console.warn(`The draft ${name} could not be kept.`)
    }
  }
  return isKept
}
