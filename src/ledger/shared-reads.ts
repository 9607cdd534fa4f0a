import { coalesceCalls } from '../model/coalesce-calls.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'

interface SharedRead {
  read: () => Promise<EventPage>
  readers: number
}

/**
 * Reads for live readers, which send the same query when an event wakes them. Readers that ask for a page at the same
 * time share one read. It begins after all of them have asked, so it includes every event that was committed by then.
 */
export class SharedReads {
  readonly #reads = new Map<string, SharedRead>()

  constructor(private readonly read: (query: EventQuery) => Promise<EventPage>) {}

  /**
   * The items are the same bytes for all readers that share them.
   *
   * @throws the signal's reason; the read continues for the others
   */
  async query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    const key = JSON.stringify(query)
    const shared = this.#reads.get(key) ?? { read: coalesceCalls(() => this.read(query)), readers: 0 }
    this.#reads.set(key, shared)
    shared.readers++
    try {
      return { ...(await unlessAborted(shared.read(), signal)) }
    } finally {
      shared.readers--
      if (shared.readers === 0) this.#reads.delete(key)
    }
  }
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
