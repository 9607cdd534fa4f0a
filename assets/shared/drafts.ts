import { useEffect, useRef } from 'preact/hooks'

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

/** Registers the draft of a form while it is shown. @param draft as JSON, without secrets */
export function useDraft(name: string, draft: unknown): void {
  const latest = useRef(draft)
  latest.current = draft
  useEffect(() => registerDraft(name, () => latest.current), [name])
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

/** Stores a draft until it is taken. @returns whether there was room */
export function keepDraft(name: string, draft: unknown): boolean {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))
    return true
  } catch {
    console.warn(`The draft ${name} could not be kept.`)
    return false
  }
}

/** Stores the drafts of all forms. @returns whether there were any */
export function keepDrafts(): boolean {
  const drafts = [...writers].map(([name, write]) => ({ name, draft: write() }))
  return drafts.filter(({ name, draft }) => draft !== undefined && keepDraft(name, draft)).length > 0
}
