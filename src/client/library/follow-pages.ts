import { codeOf } from './consumer-reader.js'
import { growingWait, pauseUntilAborted, REQUEST_WAIT } from './growing-wait.js'

/** The members of a page of events that following needs. */
interface FollowedPage {
  items: readonly unknown[]
  /** The checkpoint after it. */
  nextSince: string | null
}

export interface FollowOptions<Page extends FollowedPage> {
  /** Asks for one page. Refusals are errors with a `code`, and perhaps `retryAfterSeconds` and `nextSince`. */
  ask: (query: { since?: string; limit?: string; order?: 'asc'; wait?: string }) => Promise<Page>
  /** Sent with every request for events. */
  filters: object
  /** The checkpoint to begin after. Absent: now. */
  since?: string | undefined
  signal: AbortSignal
  /** Whether a retry can help. */
  isTransient: (error: unknown) => boolean
  /** Whether to wait for a server that cannot be reached at the start. */
  isPatient: boolean
  /** Called for each failure after which following waits and tries again. */
  onInterrupted?: ((error: Error, milliseconds: number) => void) | undefined
  /** Called when the ledger has removed events after the checkpoint; following continues after them. */
  onPruned: (error: Error) => void
  /** Called when the server has answered: at the start, and again after each interruption. */
  onConnected?: ((checkpoint: string) => void) | undefined
  random?: (() => number) | undefined
  sleep?: ((milliseconds: number, signal: AbortSignal) => Promise<unknown>) | undefined
}

const HOLD_SECONDS = '55'
/** Earlier than anything that a ledger can have captured. */
export const BEGINNING = '1970-01-01T00:00:00.000000Z'

/**
 * Yields every event, oldest first, indefinitely: page by page, by long poll. Waits while the server is unreachable and
 * misses nothing: the checkpoint moves only with a page.
 *
 * @returns pages with at least one event; ends when the signal is aborted
 * @throws a failure that waiting cannot resolve
 */
export async function* followPages<Page extends FollowedPage>(options: FollowOptions<Page>): AsyncGenerator<Page> {
  const {
    ask,
    filters,
    since,
    signal,
    isTransient,
    onInterrupted,
    onPruned,
    onConnected,
    random,
    sleep = pauseUntilAborted,
  } = options
  let checkpoint = since
  let isStarted = options.isPatient
  let isReported = false
  for (let failures = 0; !signal.aborted; ) {
    try {
      checkpoint ??= await findHead(ask)
      isStarted ||= since === undefined
      // A long poll would report the connection too late.
      const hold = onConnected && !isReported ? {} : { wait: HOLD_SECONDS }
      const page = await ask({ ...filters, since: checkpoint, order: 'asc', ...hold })
      if (!isReported) onConnected?.(checkpoint)
      isReported = true
      isStarted = true
      failures = 0
      checkpoint = page.nextSince ?? checkpoint
      if (page.items.length > 0) yield page
    } catch (thrown) {
      if (signal.aborted) return
      const error = thrown as Error & { retryAfterSeconds?: number; nextSince?: string }
      if (codeOf(error) === 'pruned' && error.nextSince !== undefined) {
        if (since !== BEGINNING) onPruned(error)
        checkpoint = error.nextSince
        continue
      }
      if (!isStarted || !isTransient(error)) throw error
      failures += 1
      isReported = false
      const wait = growingWait(failures, REQUEST_WAIT, random)
      const milliseconds = Math.max((error.retryAfterSeconds ?? 0) * 1000, wait)
      onInterrupted?.(error, milliseconds)
      await sleep(milliseconds, signal)
    }
  }
}

/** The ledger's head as a checkpoint: reads its newest event, of any kind. */
export async function findHead(ask: (query: { limit: string }) => Promise<FollowedPage>): Promise<string> {
  return (await ask({ limit: '1' })).nextSince ?? BEGINNING
}
