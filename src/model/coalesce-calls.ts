/** From this many waiting callers on, a read also serves later calls, for `reuseMs`. */
const MANY = 4

/**
 * Wraps a slow read so that no two calls of it overlap. Calls during a read share the next one, which starts after all
 * of them, so each caller sees every change made before its call.
 *
 * @param reuseMs how long later calls reuse a read that many callers shared; they miss changes made since it began. A
 *   read in each turn of the event loop costs a server a tenth of its requests
 * @param now milliseconds of a monotonic clock
 */
export function coalesceCalls<Value>(
  read: () => Promise<Value>,
  reuseMs = 0,
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
    reused = isShared ? { reading, until: now() + reuseMs } : undefined
    const end = () => {
      // A next read begins in a later microtask. Until then, calls share it.
      if (current === reading && !next) current = undefined
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
