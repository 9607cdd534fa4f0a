import { useEffect, useRef } from 'preact/hooks'
import { address, go } from './address.js'
import { showToast } from './controls/toast.js'
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

/** End the last offer to return to a form that was left, by name of the draft. */
const offers = new Map<string, () => void>()

/**
 * Registers the draft of a form while it is shown. A form that is left with changes can be returned to by a toast.
 * @param draft as JSON, without secrets @returns call it when the draft was sent, or its item deleted
 */
export function useDraft(name: string, draft: unknown, hasChanged = false): () => void {
  const latest = useRef({ draft, hasChanged, isSettled: false })
  Object.assign(latest.current, { draft, hasChanged })
  useEffect(() => {
    offers.get(name)?.()
    const unregister = registerDraft(name, () => latest.current.draft)
    const { path, query } = address.peek()
    return () => {
      unregister()
      const { draft, hasChanged, isSettled } = latest.current
      const undo = () => {
        keepDraft(name, draft)
        go(path, query)
      }
      if (hasChanged && !isSettled) offers.set(name, showToast({ words: 'Closed without saving.', undo }))
    }
  }, [name])
  return () => {
    latest.current.isSettled = true
    // It may have been left while it was being sent.
    offers.get(name)?.()
  }
}

/** Returns and removes the draft stored under that name. */
export function takeDraft(name: string): unknown {
  const draft = readStored(`draft.${name}`, 'sessionStorage')
  saveStored(`draft.${name}`, undefined, 'sessionStorage')
  return draft
}

/** Stores a draft until it is taken. @returns whether there was room */
function keepDraft(name: string, draft: unknown): boolean {
  const isKept = saveStored(`draft.${name}`, draft, 'sessionStorage')
  if (!isKept) console.warn(`The draft ${name} could not be kept.`)
  return isKept
}

/** Stores the drafts of all forms. @returns whether there were any */
export function keepDrafts(): boolean {
  const drafts = [...writers].map(([name, write]) => ({ name, draft: write() }))
  return drafts.filter(({ name, draft }) => draft !== undefined && keepDraft(name, draft)).length > 0
}
