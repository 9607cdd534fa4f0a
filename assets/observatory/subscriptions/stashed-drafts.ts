/** Contents of closed forms, while closing can be undone. By the draft's name. */
const kept = new Map<string, unknown>()

export function stashDraft(name: string, written: unknown): void {
  kept.set(name, written)
}

/** Returns and removes a stashed draft. */
export function restoreDraft(name: string): unknown {
  const written = kept.get(name)
  kept.delete(name)
  return written
}
