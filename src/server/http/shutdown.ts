import type { ServerResponse } from 'node:http'
import { hasLeft } from '../answer/slow-reader.js'
import type { HttpRequest } from './route.js'
import type { StreamLimits } from './stream-limits.js'

/** An answer that may stay open for a long time. */
export interface HeldResponse {
  /** Aborted when the server stops, or when the answer ends. */
  signal: AbortSignal
  end: () => void
}

/**
 * Held answers: event stream, long poll, export, log of a run, event stream of another board, long poll of a consumer.
 */
const HELD_ANSWERS = ['stream', 'poll', 'export', 'run_log', 'backend_stream', 'consumer'] as const
export type HeldAnswer = (typeof HELD_ANSWERS)[number]

/** The answers that are held open (streams, exports, long polls); a stopping server ends them. */
export class Shutdown {
  readonly #open = new Set<AbortController>()
  readonly #held = new Map<HeldAnswer, number>()
  #begun = false

  /** @param places limits `hold`; no limit when absent */
  constructor(private readonly places?: StreamLimits) {}

  get begun(): boolean {
    return this.#begun
  }

  /**
   * Registers a stream, an export or a long poll until its connection is closed. If its reader reads nothing, it keeps
   * its place until then. The owner's socket needs no place.
   *
   * @throws AppError `unavailable/busy` if there are too many; that connection is closed
   */
  hold(req: HttpRequest, res: ServerResponse, kind: HeldAnswer, places = this.places): HeldResponse {
    const release = req.local ? undefined : takePlace(req, res, places)
    req.isHeld = true
    const open = this.open()
    this.#count(kind, 1)
    const close = () => {
      open.end()
      release?.()
      this.#count(kind, -1)
    }
    if (hasLeft(res)) close()
    else res.once('close', close)
    return open
  }

  /** How many are held, by kind. */
  heldCounts(): [HeldAnswer, number][] {
    return HELD_ANSWERS.map(kind => [kind, this.#held.get(kind) ?? 0])
  }

  /** Registers an answer; already aborted when the server is stopping. The caller ends it. */
  open(): HeldResponse {
    const controller = new AbortController()
    if (this.#begun) controller.abort()
    else this.#open.add(controller)
    return {
      signal: controller.signal,
      end: () => {
        this.#open.delete(controller)
        controller.abort()
      },
    }
  }

  /** Ends all open answers, and every answer that opens from now on. */
  begin(): void {
    this.#begun = true
    for (const controller of this.#open) controller.abort()
    this.#open.clear()
  }

  #count(kind: HeldAnswer, change: number): void {
    this.#held.set(kind, (this.#held.get(kind) ?? 0) + change)
  }
}

function takePlace(req: HttpRequest, res: ServerResponse, places: StreamLimits | undefined): (() => void) | undefined {
  try {
    return places?.take(req)
  } catch (error) {
    req.isShed = true
    res.shouldKeepAlive = false
    throw error
  }
}
