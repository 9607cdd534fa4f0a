import type { ServerResponse } from 'node:http'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import type { EventPage } from '../../model/events/event-query.js'
import { toTimestamp } from '../../model/timestamp.js'
import { PacedAnswer, type PacedAnswerParts } from '../answer/paced-answer.js'
import type { HeldResponse } from '../http/shutdown.js'
import { splitElements } from '../request/split-json.js'

const CHUNK_CHARACTERS = 64 * 1024
/** Larger events, from webhooks, are sent in pieces, so that a reader only has to keep up with pieces. */
const LARGE_BYTES = EVENT_LIMITS.bytes
const PIECE_BYTES = 256 * 1024
/** The end of an event's stored JSON, from which its time is read without parsing the event. */
const STORED_END = /,"captured_at":"([^"]{27})","seen_count":\d+,"last_seen_at":"[^"]{27}"\}$/
const STORED_END_BYTES = 160

/**
 * Writes an event stream to one reader.
 *
 * The reader receives `event: checkpoint` first. It receives another one, instead of a heartbeat, when the ledger has
 * new events of which none matches. So it can always resume at its last id. A reader that does not read within
 * `drainMs` receives `event: dropped` with its checkpoint, and the connection is closed, so that nothing accumulates
 * for it.
 */
export class EventStreamWriter {
  /** All events up to here have been written. */
  #checkpoint: string
  /** The last `id:` that was written. */
  #lastId: string
  /** Whether part of an event has been written. */
  #isWithin = false
  readonly #answer: PacedAnswer

  readonly #open: HeldResponse

  /** @param parts `open` is closed when the reader is disconnected; closing it ends every wait for the reader */
  constructor(res: ServerResponse, start: string, parts: Pick<PacedAnswerParts, 'times' | 'open' | 'room'>) {
    this.#open = parts.open
    this.#checkpoint = start
    this.#lastId = start
    this.#answer = new PacedAnswer(res, {
      ...parts,
      beat: () => this.#beat(),
      // Within an event no other message is possible: the reader resumes after the last event that it received.
      farewell: () => (this.#isWithin ? undefined : controlMessage('dropped', this.#checkpoint)),
    })
    this.#answer.write(controlMessage('checkpoint', start))
  }

  /** Writes a page, and waits until the reader has received it or the stream is over. */
  async take(page: EventPage): Promise<void> {
    let chunk = ''
    if (page.count > 0) {
      for (const bytes of splitElements(asBuffer(page.items))) {
        const capturedAt = capturedAtOf(bytes)
        chunk += `id: ${capturedAt}\ndata: `
        if (bytes.length > LARGE_BYTES) {
          await this.#writeInPieces(chunk, bytes)
          if (this.#open.signal.aborted) return
          chunk = '\n\n'
        } else {
          chunk += `${bytes.toString()}\n\n`
        }
        this.#lastId = capturedAt
        if (chunk.length < CHUNK_CHARACTERS && !this.#isWithin) continue
        await this.#writeWhole(chunk)
        if (this.#open.signal.aborted) return
        chunk = ''
      }
      if (chunk) await this.#writeWhole(chunk)
    }
    if (page.nextSince !== null && !this.#open.signal.aborted) this.#checkpoint = toTimestamp(page.nextSince)
  }

  /** Reports to the reader that the events up to this checkpoint have been removed, and where it continues. */
  async skip(checkpoint: string): Promise<void> {
    this.#checkpoint = checkpoint
    this.#lastId = checkpoint
    await this.#answer.deliver(controlMessage('pruned', checkpoint))
  }

  end(): void {
    this.#answer.end()
  }

  /** Writes a chunk that ends with the event of `#lastId`. */
  #writeWhole(chunk: string): Promise<void> {
    this.#isWithin = false
    const delivered = this.#answer.deliver(chunk)
    this.#checkpoint = this.#lastId
    return delivered
  }

  async #writeInPieces(before: string, bytes: Buffer): Promise<void> {
    this.#isWithin = true
    await this.#answer.deliver(before)
    for (let from = 0; from < bytes.length && !this.#open.signal.aborted; from += PIECE_BYTES) {
      await this.#answer.deliver(bytes.subarray(from, from + PIECE_BYTES))
    }
  }

  #beat(): string | undefined {
    if (this.#isWithin) return undefined
    if (this.#checkpoint === this.#lastId) return ': heartbeat\n\n'
    this.#lastId = this.#checkpoint
    return controlMessage('checkpoint', this.#checkpoint)
  }
}

/** Both kinds have the checkpoint as their id: a reader that reconnects after one resumes there. */
function controlMessage(event: 'checkpoint' | 'dropped' | 'pruned', checkpoint: string): string {
  return `id: ${checkpoint}\nevent: ${event}\ndata: {"next_since":"${checkpoint}"}\n\n`
}

function capturedAtOf(event: Buffer): string {
  const stored = STORED_END.exec(event.toString('latin1', Math.max(0, event.length - STORED_END_BYTES)))
  return stored?.[1] ?? (JSON.parse(event.toString()) as { captured_at: string }).captured_at
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
