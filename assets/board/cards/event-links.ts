/** Source of an event, the first part of its dedupe key. */
export function sourceOf(key: string): string {
  return key.split(':', 1)[0] ?? ''
}

/** Counts a card's events by source: first the sources of the catalogue in its order, then all others together. */
export function countsBySource(keys: readonly string[]): { source: string; count: number }[] {
  const counts = new Map([...ORDER, 'other'].map(source => [source, 0]))
  for (const key of keys) {
    const source = ORDER.includes(sourceOf(key)) ? sourceOf(key) : 'other'
    counts.set(source, (counts.get(source) ?? 0) + 1)
  }
  return [...counts].map(([source, count]) => ({ source, count })).filter(({ count }) => count > 0)
}

const ORDER: readonly string[] = ['chat', 'forum', 'code_a', 'code_b']

/** Address of an event in the observatory; undefined if no ledger is known. */
export function eventUrl(ledger: string | undefined, key: string): string | undefined {
  if (ledger === undefined || !/^https?:\/\//i.test(ledger) || !URL.canParse(ledger)) return undefined
  const url = new URL(ledger)
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  url.search = String(new URLSearchParams({ event: key }))
  return url.href
}

const KEY_CHARACTERS = 512

/** Reads a pasted dedupe key, plain or in an address of the observatory. Undefined if there is none. */
export function readEventKey(pasted: string): string | undefined {
  const text = pasted.trim()
  const key = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).searchParams.get('event') : text
  return key && key.length <= KEY_CHARACTERS && !/[\x00-\x20\x7f]/.test(key) ? key : undefined
}
