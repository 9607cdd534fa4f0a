const RECENT_MS = 1_000

/** A check whose result is reused for a second, because every caller may ask for one. */
export function reuseRecent(check: () => Promise<unknown>): () => Promise<void> {
  let last: { at: number; done: Promise<unknown> } | undefined
  return async () => {
    const now = performance.now()
    if (last === undefined || now - last.at > RECENT_MS) last = { at: now, done: check() }
    await last.done
  }
}
