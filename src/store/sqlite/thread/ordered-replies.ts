import type { EventPage } from '../../../model/events/event-query.js'
import { toFailure } from '../../../model/failure.js'
import type { StoreReply } from './protocol.js'

/** The result of a query that needs a further slice. */
export const PENDING = Symbol('not yet')

/** The replies of one turn, in order; they are sent as one message. A task that fails has its error as the reply. */
export class OrderedReplies {
  readonly replies: StoreReply[] = []
  /** Buffers to transfer. */
  readonly transfer: ArrayBuffer[] = []
  /** Size of those buffers. */
  bytes = 0

  add(id: number, work: () => unknown): void {
    try {
      const result = work()
      if (result === PENDING) return
      this.replies.push({ id, result })
      const bytes = isPage(result) ? result.items : result
      if (!(bytes instanceof Uint8Array)) return
      this.transfer.push(bytes.buffer as ArrayBuffer)
      this.bytes += bytes.byteLength
    } catch (error) {
      this.replies.push({ id, error: toFailure(error) })
    }
  }
}

function isPage(result: unknown): result is EventPage {
  return typeof result === 'object' && result !== null && 'items' in result
}
