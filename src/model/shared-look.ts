/**
 * A look that takes time, made so that no two overlap: those that are asked for during one share the next, which begins
 * after all of them were asked for and so sees what had changed by then.
 */
export function sharedLook<Value>(look: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | undefined
  let next: Promise<Value> | undefined
  const begin = () => {
    next = undefined
    const looking = look()
    current = looking
    const end = () => {
      if (current === looking) current = undefined
    }
    looking.then(end, end)
    return looking
  }
  return () => {
    if (next) return next
    if (!current) return begin()
    next = current.then(begin, begin)
    return next
  }
}
