import type { CapturedEvents, EventDelivery } from '../../ledger/event-recorder.js'
import type { CaptureState, SubscriptionInput } from '../../model/subscriptions/subscription.js'
import type { Micros } from '../../model/timestamp.js'
import type { Random } from '../random.js'
import type { ChatServer } from '../servers/chat-server.js'
import type { CodeHost } from '../servers/code-host.js'
import type { ForumServer } from '../servers/forum-server.js'

/** One input to the ledger. */
export type Step = { at: Micros } & (
  | { does: 'record'; deliveries: EventDelivery[] }
  | { does: 'save'; subscription: SubscriptionInput & { id: string } }
  | { does: 'capture'; id: string; page: CapturedEvents }
  | { does: 'note'; id: string; changes: CaptureState }
)

/**
 * The events around one thing, from start to end. Yields the time of its next step, and receives the actual time, which
 * may be later.
 */
export type Story = Generator<Micros, void, Micros>

/** The servers that stories use. */
export interface World {
  random: Random
  chat: ChatServer
  forum: ForumServer
  codeHosts: readonly CodeHost[]
  /** Starts another story at the first time that it yields. */
  begin(story: Story): void
}
