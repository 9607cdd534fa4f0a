import type { EventPage } from '../../../model/events/event-query.js'
import { toFailure } from '../../../model/failure.js'
import { isObject } from '../../../model/json-object.js'
import type { CopyPage } from '../../copy-store.js'
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
      const bytes = bytesOf(result)
      if (!bytes) return
      this.transfer.push(bytes.buffer as ArrayBuffer)
      this.bytes += bytes.byteLength
    } catch (error) {
      this.replies.push({ id, error: toFailure(error) })
    }
  }
}

/** An event, or those of a page, for queries or for copies. */
function bytesOf(result: unknown): Uint8Array | undefined {
  const { items, lines }: Partial<EventPage & CopyPage> = isObject(result) ? result : {}
  return [result, items, lines].find(each => each instanceof Uint8Array)
}
