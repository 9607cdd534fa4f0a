import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiProblem } from './api.js'

/** A value loaded from the server, which can be loaded again. */
export interface Resource<T> {
  /** The last loaded value; stays during and after a failed reload. */
  value: ReadonlySignal<T | undefined>
  /** Why the last load failed. */
  problem: ReadonlySignal<unknown>
  isLoading: ReadonlySignal<boolean>
  /** Loads the value and cancels an earlier load. Failures are in `problem`. */
  load(): Promise<void>
  /** Sets the value immediately, e.g. after saving. */
  set(value: T): void
}

export function createResource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const problem = signal<unknown>(undefined)
  const isLoading = signal(false)
  let current: AbortController | undefined

  const settle = (mine: AbortController, change: () => void) => {
    // A later load has replaced this one.
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

/** A resource of a component: loaded once it is wanted, and again whenever `changes` do. */
export function useResource<T>(
  read: (signal: AbortSignal) => Promise<T>,
  changes: readonly unknown[] = [],
  isWanted = true,
): Resource<T> {
  const latest = useRef(read)
  latest.current = read
  const [resource] = useState(() => createResource<T>(signal => latest.current(signal)))
  useEffect(() => {
    if (isWanted) void resource.load()
  }, [...changes, isWanted])
  return resource
}

/** A call that a form makes: whether it is under way, and why it failed. */
export function useSending() {
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  /** Does nothing while another call is under way. */
  const send = async (act: () => Promise<unknown>): Promise<void> => {
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    try {
      await act()
    } catch (failure) {
      setProblem(failure)
    } finally {
      setSending(false)
    }
  }
  /** The server's message about a field: `/name`. */
  const refusalOf = (field: string) => (problem instanceof ApiProblem ? problem.of(field) : undefined)
  return { isSending, problem, setProblem, send, refusalOf }
}

/** Whether a state has lasted for a while. Delays skeletons, so that fast responses do not flicker. */
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
