/** Forms that were closed with something in them, for as long as that can be undone. By the name of the draft. */
const kept = new Map<string, unknown>()

export function putAway(name: string, written: unknown): void {
  kept.set(name, written)
}

/** What was put away, once. */
export function takeUp(name: string): unknown {
  const written = kept.get(name)
  kept.delete(name)
  return written
}
