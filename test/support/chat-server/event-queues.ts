import { randomUUID } from 'node:crypto'
import type { BookEvent, MessageBook } from './message-book.js'
import { Refusal } from './refusal.js'

interface Queue {
  types: ReadonlySet<string>
  html: boolean
  emptyTopic: boolean
  events: Record<string, unknown>[]
  /** All of them, for tests. */
  sent: Record<string, unknown>[]
  /** The id of the next event; ids rise by one in each queue. */
  nextId: number
  /** Events up to this one are forgotten: the reader has acknowledged them. */
  prunedTo: number
  usedAt: number
  idleMs: number
  /** The request that waits for an event. Another one for the same queue takes its place. */
  wake: (() => void) | undefined
}

/** After this time without a request, the platform removes a queue. */
const IDLE_MS = 600_000
/** How long the platform tells clients to wait for an answer. */
const WAIT_SECONDS = 90

/** The event queues of a realm, as `POST /register` and `GET /events` show them. */
export class EventQueues {
  readonly #queues = new Map<string, Queue>()
  /** Parameters of each registration. */
  readonly registered: URLSearchParams[] = []
  /** How long it advises clients to wait for an answer. */
  waitSeconds = WAIT_SECONDS

  /** @param now epoch milliseconds */
  constructor(
    private readonly book: MessageBook,
    private readonly now: () => number,
    private readonly featureLevel: number,
  ) {
    book.onEvent = event => this.#send(event)
  }

  register(form: URLSearchParams): Record<string, unknown> {
    this.registered.push(form)
    const types: string[] = JSON.parse(form.get('event_types') ?? '[]')
    const capabilities = JSON.parse(form.get('client_capabilities') ?? '{}')
    const seconds = Number(form.get('idle_queue_timeout') ?? 0)
    const id = randomUUID()
    this.#queues.set(id, {
      types: new Set(types),
      html: form.get('apply_markdown') === 'true',
      emptyTopic: capabilities.empty_topic_name === true,
      events: [],
      sent: [],
      nextId: 0,
      prunedTo: -1,
      usedAt: this.now(),
      wake: undefined,
      idleMs: seconds > 0 ? seconds * 1000 : IDLE_MS,
    })
    return {
      queue_id: id,
      last_event_id: -1,
      zulip_feature_level: this.featureLevel,
      ...(this.featureLevel >= 74 ? { event_queue_longpoll_timeout_seconds: this.waitSeconds } : {}),
    }
  }

  /** Waits for an event unless `dont_block` is true. @throws Refusal */
  async events(query: URLSearchParams, closed: Promise<void>): Promise<Record<string, unknown>> {
    const id = query.get('queue_id') ?? ''
    const last = Number(query.get('last_event_id') ?? -1)
    const queue = this.#find(id)
    if (last < queue.prunedTo) {
      throw new Refusal(400, 'BAD_REQUEST', `An event newer than ${last} has already been pruned!`)
    }
    queue.events = queue.events.filter(event => Number(event.id) > last)
    queue.prunedTo = last
    queue.wake?.()
    if (queue.events.length === 0 && query.get('dont_block') !== 'true') {
      await Promise.race([
        closed,
        new Promise<void>(resolve => {
          queue.wake = resolve
        }),
      ])
      queue.wake = undefined
      if (!this.#queues.has(id)) throw badQueue(id)
    }
    queue.usedAt = this.now()
    return { queue_id: id, events: [...queue.events] }
  }

  /** As the platform does about once a minute, so that a reader knows that the connection is alive. */
  heartbeat(): void {
    for (const queue of this.#queues.values()) this.#append(queue, { type: 'heartbeat' })
  }

  /** All queues are gone, as after a restart that lost them. */
  forget(): void {
    const queues = [...this.#queues.values()]
    this.#queues.clear()
    for (const { wake } of queues) wake?.()
  }

  /** How many queues there are, and how many requests wait. */
  get waiting(): number {
    return [...this.#queues.values()].filter(({ wake }) => wake !== undefined).length
  }

  /** Whether all events have been acknowledged. */
  get read(): boolean {
    return [...this.#queues.values()].every(({ nextId, prunedTo }) => prunedTo === nextId - 1)
  }

  /** Has the acknowledged events after one again, as if the request that acknowledged them had not arrived. */
  restoreAfter(id: number): void {
    for (const queue of this.#queues.values()) {
      queue.events = queue.sent.filter(event => Number(event.id) > id)
      queue.prunedTo = id
    }
  }

  #find(id: string): Queue {
    const queue = this.#queues.get(id)
    if (queue && this.now() - queue.usedAt <= queue.idleMs) return queue
    this.#queues.delete(id)
    throw badQueue(id)
  }

  #send({ message, event }: BookEvent): void {
    for (const queue of this.#queues.values()) {
      if (message) {
        const { flags, ...shown } = this.book.toAnswer(message, queue)
        if (queue.types.has('message')) this.#append(queue, { type: 'message', message: shown, flags })
      } else if (event && queue.types.has(String(event.type))) {
        this.#append(queue, event)
      }
    }
  }

  #append(queue: Queue, event: Record<string, unknown>): void {
    const numbered = { ...event, id: queue.nextId }
    queue.events.push(numbered)
    queue.sent.push(numbered)
    queue.nextId++
    queue.wake?.()
  }
}

function badQueue(id: string): Refusal {
  return new Refusal(400, 'BAD_EVENT_QUEUE_ID', `Bad event queue ID: ${id}`, { queue_id: id })
}
