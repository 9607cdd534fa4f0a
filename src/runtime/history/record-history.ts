import { readEvent } from '../../ledger/read-event.js'
import { AppError } from '../../model/app-error.js'
import { counted } from '../../model/counted.js'
import type { NewEvent } from '../../model/events/event.js'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import { HISTORY_LIMITS, type HistoryProgress, type HistoryReport } from '../../model/platforms/history.js'
import type { History, HistoryPage, HistoryStream, LeftOut } from '../../platforms/history/history-stream.js'
import type { ListProgress } from './history-checkpoint.js'
import type { HistoryLedger } from './history-ledger.js'

type HistoryCounts = Pick<HistoryReport, 'items' | 'created' | 'known' | 'kinds' | 'left_out' | 'unavailable'>

/** The lists of a place. */
interface RecordedLists extends Pick<History, 'streams'> {
  /** The same lists from a later instant, read in full after them: their progress is neither used nor stored. */
  later?: readonly HistoryStream[]
}

interface RecordHistoryParts {
  ledger: Pick<HistoryLedger, 'record'>
  checkpoint: ListProgress
  /** Milliseconds of any monotonic clock. */
  clock: () => number
  onProgress: (progress: HistoryProgress) => void
  /** Maximum number of pages. After them, reading stops before the end of the lists. */
  mostPages?: number
  /** Whether a failure concerns only its list. The other lists are then read first. */
  concernsList?: (failure: AppError) => boolean
}

/** Failures of lists that a repository or an account may lack. The other lists are still read. */
const LACKING = ['platform_place_unknown', 'platform_not_permitted']
/** Maximum number of reasons that are reported one by one. */
const MOST_REASONS = 20

/**
 * Reads the lists of a place one after the other, records the events that the ledger does not have, and stores the
 * progress after each page. At most one page is read ahead.
 *
 * @throws AppError as `HistoryStream.read` and `HistoryLedger.record`, with the number of events recorded by then; also if none
 *   of the lists may be read
 */
export async function recordHistory(
  { streams, later = [] }: RecordedLists,
  parts: RecordHistoryParts,
): Promise<HistoryCounts> {
  const run = new HistoryRun(parts)
  let failure: AppError | undefined
  let refusal: AppError | undefined
  for (const [stream, progress] of [
    ...streams.map(each => [each, parts.checkpoint] as const),
    ...later.map(each => [each, NOT_STORED] as const),
  ]) {
    try {
      await run.read(stream, progress)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (LACKING.includes(error.code) && !stream.isAlwaysThere) {
        run.noteUnavailable(stream, error)
        refusal ??= error
      } else if (parts.concernsList?.(error)) failure ??= error
      else throw run.withCounts(error)
    }
  }
  if (failure) throw run.withCounts(failure)
  // If no list may be read, the account is refused. What happens until it is accepted again must not count as read.
  if (refusal && streams.every(({ name }) => run.isUnavailable(name))) throw run.withCounts(refusal)
  return run.counts
}

const NOT_STORED: ListProgress = { of: () => undefined, save: async () => {} }

class HistoryRun {
  readonly counts: HistoryCounts = { items: 0, created: 0, known: 0, kinds: {}, left_out: [], unavailable: [] }

  #pagesAsked = 0

  constructor(private readonly parts: RecordHistoryParts) {}

  async read(stream: HistoryStream, checkpoint: ListProgress): Promise<void> {
    const { clock, mostPages = Number.POSITIVE_INFINITY } = this.parts
    const before = checkpoint.of(stream.name)
    if (before && 'isDone' in before) return
    const start = clock()
    const ask = (position: string | undefined) => (this.#pagesAsked++ < mostPages ? stream.read(position) : undefined)
    let asked: Promise<HistoryPage> | undefined = ask(before?.position)
    for (let pages = 1; asked; pages++) {
      const page: HistoryPage = await asked
      asked = page.next === undefined ? undefined : ask(page.next)
      asked?.catch(() => undefined) // reported when this page is awaited
      await this.#record(page)
      await checkpoint.save(stream.name, page.next === undefined ? { isDone: true } : { position: page.next })
      this.#report(stream.name, page, (clock() - start) / pages)
    }
  }

  noteUnavailable({ name }: HistoryStream, { message: reason }: AppError): void {
    if (!this.isUnavailable(name)) this.counts.unavailable.push({ stream: name, reason })
  }

  isUnavailable(name: string): boolean {
    return this.counts.unavailable.some(({ stream }) => stream === name)
  }

  withCounts({ category, code, message, errors, retryAfterSeconds }: AppError): AppError {
    const recorded = `${counted(this.counts.created, 'new event is', 'new events are')} recorded.`
    const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
    return new AppError(category, code, `${message} ${recorded}`, { errors, ...wait })
  }

  async #record({ events, leftOut, items }: HistoryPage): Promise<void> {
    this.counts.items += items
    for (const left of leftOut) this.#leaveOut(left)
    let batch: NewEvent[] = []
    let bytes = 0
    for (const sent of events) {
      const read = this.#accept(sent)
      if (!read) continue
      if (batch.length >= HISTORY_LIMITS.batchEvents || bytes + read.bytes > HISTORY_LIMITS.batchBytes) {
        await this.#send(batch)
        batch = []
        bytes = 0
      }
      batch.push(read.event)
      bytes += read.bytes
    }
    await this.#send(batch)
  }

  async #send(batch: readonly NewEvent[]): Promise<void> {
    if (batch.length === 0) return
    const { created, known } = await this.parts.ledger.record(batch)
    this.counts.created += created
    this.counts.known += known
    for (const { kind } of batch) this.counts.kinds[kind] = (this.counts.kinds[kind] ?? 0) + 1
  }

  /** @returns undefined for an event that the ledger would refuse, so that the rest of its batch is recorded */
  #accept(sent: NewEvent): { event: NewEvent; bytes: number } | undefined {
    const item = `${sent.kind} ${sent.subject_id.slice(0, 40)}`
    try {
      const event = readEvent(sent)
      const bytes = Buffer.byteLength(JSON.stringify(event))
      if (bytes <= EVENT_LIMITS.bytes) return { event, bytes }
      this.#leaveOut({ reason: 'it is larger than 1 MiB', item })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#leaveOut({ reason: error.message, item })
    }
    return undefined
  }

  #leaveOut({ reason, item }: LeftOut): void {
    const { left_out } = this.counts
    const found = left_out.find(each => each.reason === reason)
    if (found) found.count += 1
    else if (left_out.length < MOST_REASONS) left_out.push({ reason, count: 1, example: item })
    else
      left_out[MOST_REASONS - 1] = { reason: 'other reasons', count: (left_out.at(-1)?.count ?? 0) + 1, example: item }
  }

  #report(stream: string, { pagesLeft }: HistoryPage, pageMs: number): void {
    const { items, created } = this.counts
    const left =
      pagesLeft === undefined ? {} : { pages_left: pagesLeft, seconds_left: Math.ceil((pagesLeft * pageMs) / 1_000) }
    this.parts.onProgress({ stream, items, created, ...left })
  }
}
