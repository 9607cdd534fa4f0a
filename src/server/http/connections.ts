import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpRequest } from './route.js'

/** What a connection is used for. */
export type ConnectionUse =
  /** Idle, or without the whole headers of a request. */
  | 'waiting'
  /** A body arrives, or an answer goes out. */
  | 'transferring'
  /** An event stream, an export or a long poll. */
  | 'held'
  /** A complete request is being processed, and its event may be recorded at this moment. Never closed to make room. */
  | 'working'

/**
 * A connection and its requests. Requests are kept here, not in one Set of all: when a Set grows, its old hash table is
 * not cleared, and keeps answered requests alive, which doubles the work of garbage collection.
 */
interface Connection {
  socket: Socket
  unanswered: ServerResponse[]
  /** Over the owner's socket: never closed to make room. */
  local: boolean
  /** When it was opened or last answered, in milliseconds. */
  since: number
}

/** How long a new connection may take to send its request before it is among the first to be closed to make room. */
const GRACE_MS = 1_000

const CONNECTION = Symbol('connection')

interface TrackedSocket extends Socket {
  [CONNECTION]?: Connection
}

/** Every connection of one program, ordered: the one that has had no answer for the longest comes first. */
export class Connections {
  readonly #all = new Set<Connection>()

  get size(): number {
    return this.#all.size
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#all.values()
  }

  add(socket: TrackedSocket, local: boolean): void {
    const connection: Connection = { socket, unanswered: [], local, since: performance.now() }
    socket[CONNECTION] = connection
    this.#all.add(connection)
    socket.once('close', () => this.#all.delete(connection))
  }

  /** Empty for a connection of another server. */
  unansweredOn(socket: TrackedSocket): ServerResponse[] {
    return socket[CONNECTION]?.unanswered ?? []
  }

  answered(req: IncomingMessage, res: ServerResponse): void {
    const connection = (req.socket as TrackedSocket)[CONNECTION]
    const at = connection?.unanswered.indexOf(res) ?? -1
    if (!connection || at === -1) return
    connection.unanswered.splice(at, 1)
    connection.since = performance.now()
    if (this.#all.delete(connection)) this.#all.add(connection)
  }

  /**
   * Closes the least important connection: one that waits, then one that transfers or has just begun to wait, then one
   * that is held. Within each group, the one that has had no answer for the longest.
   *
   * @returns its use; undefined if a request is being processed on every connection
   */
  makeRoom(): Exclude<ConnectionUse, 'working'> | undefined {
    const now = performance.now()
    let least: { connection: Connection; use: Exclude<ConnectionUse, 'working'>; worth: number } | undefined
    for (const connection of this.#all) {
      const use = useOf(connection)
      if (connection.local || use === 'working') continue
      const worth = use === 'held' ? 2 : use === 'waiting' && now - connection.since >= GRACE_MS ? 0 : 1
      if (worth < (least?.worth ?? 3)) least = { connection, use, worth }
      if (worth === 0) break
    }
    if (!least) return undefined
    // Its `close` event comes later, and the next call must not choose it again.
    this.#all.delete(least.connection)
    least.connection.socket.destroy()
    return least.use
  }

  counts(): Record<ConnectionUse, number> {
    const counts = { waiting: 0, transferring: 0, held: 0, working: 0 }
    for (const connection of this.#all) counts[useOf(connection)]++
    return counts
  }
}

function useOf({ socket, unanswered }: Connection): ConnectionUse {
  if (unanswered.some(({ req, headersSent }) => req.complete && !headersSent && !isHeld(req))) return 'working'
  if (unanswered.some(({ req }) => isHeld(req))) return 'held'
  return unanswered.length > 0 || socket.writableLength > 0 ? 'transferring' : 'waiting'
}

/** Whether its answer is an event stream, an export or a long poll. */
export function isHeld(req: IncomingMessage): boolean {
  return (req as HttpRequest).isHeld === true
}
