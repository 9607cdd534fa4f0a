import { join } from 'node:path'
import type { Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { eventsOf } from '../../../src/model/events/event-query.js'
import type { ChatAccount } from '../../../src/model/platforms/chat-account.js'
import type { CaptureRequest, WatchCapture } from '../../../src/model/subscriptions/capture.js'
import { toMessageEvent } from '../../../src/platforms/chat/messages/message.js'
import { Captures } from '../../../src/runtime/capture/captures.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { type ChatServer, type ChatServerOptions, chatServer } from '../../support/chat-server/chat-server.js'
import { testFolder } from '../../support/test-folder.js'

export const NOON = 1_800_000_000_000_000
export const DEPLOYS = { stream: 'eng', topic: 'deploys' }
export const WATCH = {
  id: 'deploys',
  source: 'chat',
  target: 'stream:eng/topic:deploys',
  event_kinds: ['message.created'],
  capture_modes: ['api_cursor', 'poll'],
  metadata: { temporary: true, interval_seconds: 60 },
}

type ChatRequest = CaptureRequest & { chat: ChatAccount }

/** A ledger with a watch, and a chat server to capture it from. */
export interface CaptureRig {
  ledger: Ledger
  captures: Captures
  chat: ChatServer
  /** Epoch microseconds; a test moves it. */
  clock: { now: number }
  request(changes?: Partial<ChatRequest>): ChatRequest
  /** Captures one watch to its end. */
  once(id?: string, changes?: Partial<CaptureRequest>): Promise<WatchCapture>
  /** The ledger over the same store, as after a restart. */
  reopen(): Promise<Ledger>
}

export async function captureRig(t: Test, options: ChatServerOptions = {}): Promise<CaptureRig> {
  const clock = { now: NOON }
  const now = () => clock.now
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock: now, onFailure })
  t.teardown(() => store.close())
  const reopen = () => Ledger.open({ store, clock: now, newSubscriptionId: () => 'sub_1' })
  const ledger = await reopen()
  await ledger.saveSubscription(WATCH)
  const chat = await chatServer(t, options)
  const captures = new Captures(ledger, now)
  const request: CaptureRig['request'] = (changes = {}) => ({
    backfill: 100,
    chat: { site: chat.url, email: chat.email, api_key: chat.apiKey },
    ...changes,
  })
  const once = async (id = 'deploys', changes: Partial<CaptureRequest> = {}) => {
    const { captures: done } = await captures.run(request({ subscription_id: id, ...changes }))
    const [capture] = done
    if (!capture) throw new Error('Nothing was captured.')
    return capture
  }
  return { ledger, captures, chat, clock, request, once, reopen }
}

/** A message as a webhook of the same server delivers it. */
export async function deliver({ ledger, chat }: CaptureRig, id: number): Promise<void> {
  const message = chat.book.find(id)
  const payload = message && chat.book.toAnswer(message, { html: false, emptyTopic: true })
  const event = payload && toMessageEvent(payload, { site: chat.url })
  if (!event) throw new Error(`There is no message ${id}.`)
  await ledger.record([{ event, provenance: { route: 'webhook', verified: 'none' } }])
}

/** Every event of the ledger, oldest first. */
export async function allEvents(ledger: Ledger): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let since = 0; ; ) {
    const page = await ledger.query({ order: 'asc', limit: 500, since })
    events.push(...eventsOf(page))
    if (!page.hasMore) return events
    since = page.nextSince ?? since
  }
}
