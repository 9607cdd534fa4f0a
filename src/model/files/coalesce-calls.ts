/** A read that served so many callers together serves those of the next few milliseconds too. */
const MANY = 4
const REUSE_MS = 10

/**
 * Wraps a slow read so that no two calls of it overlap. Calls during a read share the next one, which starts after all
 * of them, so each caller sees every change made before its call. With many callers together, each sees every change made
 * 10 ms before: a read for each turn of the event loop costs a server a fifth of its requests.
 *
 * @param now milliseconds that only grow
 */
export function coalesceCalls<Value>(
  read: () => Promise<Value>,
  now: () => number = () => performance.now(),
): () => Promise<Value> {
  let current: Promise<Value> | undefined
  let next: Promise<Value> | undefined
  let reused: { reading: Promise<Value>; until: number } | undefined
  let waiting = 0
  const begin = () => {
    const isShared = waiting >= MANY
    next = undefined
    waiting = 0
    const reading = read()
    current = reading
    reused = isShared ? { reading, until: now() + REUSE_MS } : undefined
    const end = () => {
      if (current === reading) current = undefined
    }
    reading.then(end, end)
    return reading
  }
  return () => {
    if (reused && now() < reused.until) return reused.reading
    if (!current) return begin()
    waiting += 1
    next ??= current.then(begin, begin)
    return next
  }
}
