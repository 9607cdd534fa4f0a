/** A request that waits: for events, or for the lease. */
export interface ConsumerPoll {
  /** Aborted when the consumer changes, or as the caller's signal. */
  readonly signal: AbortSignal
  /** It has read all events that match, and listens for the next. */
  waitsForEvents: boolean
  end(): void
}

interface PollRequest {
  signal: AbortSignal | undefined
  /** Of its lease; undefined while it has none. */
  fence: number | undefined
}

/** How many requests may wait for one consumer: the reading one and standby instances. */
const MOST_POLLS = 16

/** The requests of this process that wait, by the name of their consumer. */
export class ConsumerPolls {
  readonly #polls = new Map<string, Set<OpenPoll>>()

  /** @returns undefined if too many wait for this consumer already */
  open(name: string, request: PollRequest): ConsumerPoll | undefined {
    const polls = this.#polls.get(name) ?? new Set()
    if (polls.size >= MOST_POLLS) return undefined
    this.#polls.set(name, polls)
    const poll = new OpenPoll(request, () => {
      polls.delete(poll)
      if (polls.size === 0) this.#polls.delete(name)
    })
    polls.add(poll)
    return poll
  }

  /** Makes the requests that wait for this consumer check again. */
  wake(name: string): void {
    for (const poll of this.#polls.get(name) ?? []) poll.abort()
  }

  wakeAll(): void {
    for (const name of this.#polls.keys()) this.wake(name)
  }

  /** Whether a request of the instance with this fence waits. */
  hasFence(name: string, fence: number): boolean {
    for (const poll of this.#polls.get(name) ?? []) if (poll.request.fence === fence) return true
    return false
  }

  isWaiting(name: string): boolean {
    for (const poll of this.#polls.get(name) ?? []) if (poll.waitsForEvents) return true
    return false
  }
}

class OpenPoll implements ConsumerPoll {
  waitsForEvents = false
  readonly #controller = new AbortController()
  readonly #forward = () => this.#controller.abort()

  constructor(
    readonly request: PollRequest,
    private readonly ended: () => void,
  ) {
    const { signal } = request
    if (signal?.aborted) this.#controller.abort()
    signal?.addEventListener('abort', this.#forward)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(): void {
    this.#controller.abort()
  }

  end(): void {
    this.request.signal?.removeEventListener('abort', this.#forward)
    this.ended()
  }
}
