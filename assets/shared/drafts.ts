import { useEffect, useRef } from 'preact/hooks'
import { readStored, saveStored } from './web-storage.js'

/** Unsaved input, kept for this window across a login. */

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
  const draft = readStored(`draft.${name}`, 'sessionStorage')
  saveStored(`draft.${name}`, undefined, 'sessionStorage')
  return draft
}

/** Stores a draft until it is taken. @returns whether there was room */
export function keepDraft(name: string, draft: unknown): boolean {
  const isKept = saveStored(`draft.${name}`, draft, 'sessionStorage')
  if (!isKept) console.warn(`The draft ${name} could not be kept.`)
  return isKept
}

/** Stores the drafts of all forms. @returns whether there were any */
export function keepDrafts(): boolean {
  const drafts = [...writers].map(([name, write]) => ({ name, draft: write() }))
  return drafts.filter(({ name, draft }) => draft !== undefined && keepDraft(name, draft)).length > 0
}
