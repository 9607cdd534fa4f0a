/**
 * Wraps a slow read so that no two calls of it overlap. Calls during a read share the next one, which starts after all
 * of them, so each caller sees every change made before its call.
 */
export function coalesceCalls<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | undefined
  let next: Promise<Value> | undefined
  const begin = () => {
    next = undefined
    const reading = read()
    current = reading
    const end = () => {
      if (current === reading) current = undefined
    }
    reading.then(end, end)
    return reading
  }
  return () => {
    if (next) return next
    if (!current) return begin()
    next = current.then(begin, begin)
    return next
  }
}
