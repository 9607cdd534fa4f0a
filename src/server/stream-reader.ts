import type { ServerResponse } from 'node:http'
import { EVENT_LIMITS } from '../model/event-limits.js'
import type { EventPage } from '../model/event-query.js'
import { toTimestamp } from '../model/timestamp.js'
import { splitElements } from './json-bytes.js'
import type { OpenAnswer } from './shutdown.js'

export interface StreamTimes {
  /** After so long a sign of life is sent. */
  heartbeatMs: number
  /** How long a reader may leave unread what it was sent; also how long it then has to fetch the farewell. */
  drainMs: number
}

export const STREAM_TIMES: StreamTimes = { heartbeatMs: 15_000, drainMs: 30_000 }

const CHUNK_CHARACTERS = 64 * 1024
/** What is larger, as webhooks bring it, goes out in pieces, so that a reader only has to keep up with pieces. */
const LARGE_BYTES = EVENT_LIMITS.bytes
const PIECE_BYTES = 256 * 1024
/** How the ledger ends the JSON of an event: so its time is found without reading the event. */
const STORED_END = /,"captured_at":"([^"]{27})","seen_count":\d+,"last_seen_at":"[^"]{27}"\}$/
const STORED_END_BYTES = 160

/**
 * One reader of an event stream: what it is sent, and whether it keeps up.
 *
 * It is sent `event: checkpoint` first and, in the place of a heartbeat, whenever the ledger has moved on without
 * anything for it; so its last id is always where it may resume. A reader that does not take what it was sent within
 * `drainMs` is sent `event: dropped` with its checkpoint and let go, so that nothing piles up for it.
 */
export class StreamReader {
  /** Everything up to here has been written. */
  #checkpoint: string
  /** The last `id:` that was written. */
  #lastId: string
  /** Part of an event has been written. */
  #isWithin = false
  readonly #heartbeat: NodeJS.Timeout
  #deadline: NodeJS.Timeout | undefined
  #onTaken: (() => void) | undefined

  /** @param open ended when the reader was dropped; when it ends, nobody waits for the reader any more */
  constructor(
    private readonly res: ServerResponse,
    start: string,
    private readonly times: StreamTimes,
    private readonly open: OpenAnswer,
  ) {
    this.#checkpoint = start
    this.#lastId = start
    this.#heartbeat = setInterval(() => this.#beat(), times.heartbeatMs)
    open.signal.addEventListener('abort', () => this.#onTaken?.(), { once: true })
    res.on('drain', () => this.#taken())
    res.once('close', () => {
      clearInterval(this.#heartbeat)
      this.#taken()
    })
    this.#write(controlMessage('checkpoint', start))
  }

  /** Writes a page and waits until it was taken, or the stream is over. */
  async take(page: EventPage): Promise<void> {
    let chunk = ''
    if (page.count > 0) {
      for (const bytes of splitElements(asBuffer(page.items))) {
        const capturedAt = capturedAtOf(bytes)
        chunk += `id: ${capturedAt}\ndata: `
        if (bytes.length > LARGE_BYTES) {
          await this.#writeInPieces(chunk, bytes)
          if (this.open.signal.aborted) return
          chunk = '\n\n'
        } else {
          chunk += `${bytes.toString()}\n\n`
        }
        this.#lastId = capturedAt
        if (chunk.length < CHUNK_CHARACTERS && !this.#isWithin) continue
        await this.#writeWhole(chunk)
        if (this.open.signal.aborted) return
        chunk = ''
      }
      if (chunk) await this.#writeWhole(chunk)
    }
    if (page.nextSince !== null && !this.open.signal.aborted) this.#checkpoint = toTimestamp(page.nextSince)
  }

  end(): void {
    clearInterval(this.#heartbeat)
    if (!this.res.writableEnded) this.res.end()
  }

  /** Writes what ends with the event of `#lastId`. */
  #writeWhole(chunk: string): Promise<void> {
    this.#isWithin = false
    const taken = this.#write(chunk)
    this.#checkpoint = this.#lastId
    return this.#untilTaken(taken)
  }

  async #writeInPieces(before: string, bytes: Buffer): Promise<void> {
    this.#isWithin = true
    await this.#untilTaken(this.#write(before))
    for (let from = 0; from < bytes.length && !this.open.signal.aborted; from += PIECE_BYTES) {
      await this.#untilTaken(this.#write(bytes.subarray(from, from + PIECE_BYTES)))
    }
  }

  async #untilTaken(taken: boolean): Promise<void> {
    if (taken || this.open.signal.aborted) return
    await new Promise<void>(resolve => {
      this.#onTaken = resolve
    })
  }

  #write(chunk: string | Uint8Array): boolean {
    const taken = this.res.write(chunk)
    if (!taken) this.#deadline ??= setTimeout(() => this.#drop(), this.times.drainMs)
    return taken
  }

  #taken(): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    this.#onTaken?.()
  }

  #beat(): void {
    if (this.res.writableNeedDrain || this.#isWithin) return
    if (this.#checkpoint === this.#lastId) {
      this.#write(': heartbeat\n\n')
    } else {
      this.#lastId = this.#checkpoint
      this.#write(controlMessage('checkpoint', this.#checkpoint))
    }
  }

  #drop(): void {
    clearInterval(this.#heartbeat)
    // Within an event nothing else can be said: the reader knows the last one that it got.
    if (this.#isWithin) this.res.destroy()
    else this.res.end(controlMessage('dropped', this.#checkpoint))
    this.#deadline = setTimeout(() => this.res.destroy(), this.times.drainMs)
    this.open.end()
  }
}

/** Both kinds carry the checkpoint as their id: whoever reconnects after one resumes there. */
function controlMessage(event: 'checkpoint' | 'dropped', checkpoint: string): string {
  return `id: ${checkpoint}\nevent: ${event}\ndata: {"next_since":"${checkpoint}"}\n\n`
}

function capturedAtOf(event: Buffer): string {
  const stored = STORED_END.exec(event.toString('latin1', Math.max(0, event.length - STORED_END_BYTES)))
  return stored?.[1] ?? (JSON.parse(event.toString()) as { captured_at: string }).captured_at
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
