import type { CapturedEvents, EventDelivery } from '../ledger/ledger.js'
import type { CaptureState, SubscriptionInput } from '../model/subscriptions/subscription.js'
import type { Micros } from '../model/timestamp.js'
import type { ChatServer } from './chat-server.js'
import type { CodeHost } from './code-host.js'
import type { ForumServer } from './forum-server.js'
import type { Random } from './random.js'

/** Something that the ledger is told. */
export type Step = { at: Micros } & (
  | { does: 'record'; deliveries: EventDelivery[] }
  | { does: 'save'; subscription: SubscriptionInput & { id: string } }
  | { does: 'capture'; id: string; page: CapturedEvents }
  | { does: 'note'; id: string; changes: CaptureState }
)

/**
 * What happens to one thing, from its beginning to its end: yields when it goes on, and is told when it really does,
 * which may be later.
 */
export type Story = Generator<Micros, void, Micros>

/** Where stories take place. */
export interface World {
  random: Random
  chat: ChatServer
  forum: ForumServer
  codeHosts: readonly CodeHost[]
  /** A story that begins as well, when it says so. */
  begin(story: Story): void
}
