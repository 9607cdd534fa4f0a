import { dueAt, expiresAt } from '../ledger/watch-times.js'
import type { CaptureState } from '../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { SECOND } from './durations.js'
import type { ChatMessage, ChatServer } from './servers/chat-server.js'
import type { Step } from './stories/story.js'
import type { Watch } from './watches.js'

interface PolledWatch {
  id: string
  /** `stream:…/topic:…` */
  target: string | undefined
  metadata: Record<string, unknown>
  createdAt: Micros
  error: string | undefined
  capture: CaptureState
  unread: ChatMessage[]
}

/** Captures the watched topics of the chat server, by the rules of a real capture. */
export class Polling {
  readonly #watches: PolledWatch[] = []

  begin({ subscription, createdAt, polled }: Watch): void {
    if (!polled) return
    const { id, target, metadata = {} } = subscription
    const { error } = polled
    this.#watches.push({ id, target, metadata: { ...metadata }, createdAt, error, capture: {}, unread: [] })
  }

  /** @returns whether a watch will capture it */
  hear(message: ChatMessage): boolean {
    const target = `stream:${message.stream.name}/topic:${message.topic}`
    const hearing = this.#watches.filter(watch => watch.target === target && watch.error === undefined)
    for (const watch of hearing) watch.unread.push(message)
    return hearing.length > 0
  }

  /** Captures the watches that are due. @param which `with news`: only those with unread messages */
  poll(chat: ChatServer, at: Micros, which: 'with news' | 'all'): Step[] {
    this.#forgetOver(at)
    return this.#watches
      .filter(watch => (which === 'all' || watch.unread.length > 0) && dueAt({ source: 'chat', ...watch }, at) <= at)
      .flatMap(watch => capture(watch, chat, at))
  }

  #forgetOver(at: Micros): void {
    const over = this.#watches.findIndex(({ metadata }) => expiresAt(metadata) <= at)
    if (over !== -1) this.#watches.splice(over, 1)
  }
}

function capture(watch: PolledWatch, chat: ChatServer, at: Micros): Step[] {
  const { id, unread, error } = watch
  const went = { host: chat.host, last_attempt_at: toTimestamp(at) }
  if (error !== undefined) {
    watch.capture = { ...went, last_error: error, failures: attemptsOf(watch, at) }
    return [{ at, does: 'note', id, changes: watch.capture }]
  }
  watch.capture = { ...went, last_success_at: toTimestamp(at), last_error: null, failures: 0 }
  const messages = unread.splice(0)
  const newest = messages.at(-1)
  const note: Step = { at, does: 'note', id, changes: watch.capture }
  if (!newest) return [note]
  const events = messages.flatMap(message => chat.asCaptured(message))
  return [
    { at, does: 'capture', id, page: { events, host: chat.host, attemptedAt: at, readTo: String(newest.id) } },
    note,
  ]
}

/** Number of attempts of a capture that has failed since the watch was created. */
function attemptsOf({ metadata, createdAt }: PolledWatch, at: Micros): number {
  const seconds = typeof metadata.interval_seconds === 'number' ? metadata.interval_seconds : 60
  return Math.floor((at - createdAt) / (seconds * SECOND)) + 1
}
