import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

/** Something that is loaded from the server, and loaded anew. */
export interface Resource<T> {
  /** What was loaded last; it stays while it is loaded anew, and when that fails. */
  value: ReadonlySignal<T | undefined>
  /** Why it could not be loaded, the last time. */
  problem: ReadonlySignal<unknown>
  isLoading: ReadonlySignal<boolean>
  /** Loads it; an older load that is under way is given up. Failures stand in `problem`. */
  load(): Promise<void>
  /** Shows this at once, such as what was just saved. */
  set(value: T): void
}

export function createResource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const problem = signal<unknown>(undefined)
  const isLoading = signal(false)
  let current: AbortController | undefined

  const settle = (mine: AbortController, change: () => void) => {
    // A later load has taken its place.
    if (current !== mine) return
    batch(() => {
      change()
      isLoading.value = false
    })
  }
  return {
    value,
    problem,
    isLoading,
    set: next => {
      value.value = next
    },
    load: async () => {
      current?.abort()
      const mine = new AbortController()
      current = mine
      isLoading.value = true
      try {
        const loaded = await read(mine.signal)
        settle(mine, () => {
          value.value = loaded
          problem.value = undefined
        })
      } catch (error) {
        settle(mine, () => {
          problem.value = error
        })
      }
    },
  }
}

/** Whether it has been so for a while: skeletons come only then, so that what is quick does not flicker. */
export function useSlow(isSo: boolean, ms = 300): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isSo) {
      setSlow(false)
      return
    }
    const timer = window.setTimeout(() => setSlow(true), ms)
    return () => window.clearTimeout(timer)
  }, [isSo, ms])
  return isSo && isSlow
}
