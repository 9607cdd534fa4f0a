import { LedgerSocketClient } from '../client/ledger-socket-client.js'
import { toVerifiedEvents } from '../ledger/verified-events.js'
import {
  type LedgerVerification,
  type Problem,
  VERIFY_LIMITS,
  type VerifiedEventsAnswer,
} from '../model/ledger-verification.js'
import type { Subscription } from '../model/subscriptions/subscription.js'
import { readTimestamp, toTimestamp } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import type { LedgerStats } from '../store/event-store.js'
import { openLedger } from './open-ledger.js'
import { ledgerViaServerOrFile } from './via-server-or-file.js'

/** The event to begin after, and its expected digest. */
interface VerifyStart {
  /** `captured_at` of an event. */
  since?: string | undefined
  /** The digest of that event, in hex, as noted earlier. */
  digest?: string | undefined
}

interface VerifyProgress {
  events: number
  /** Number of events in the whole ledger. */
  total: number
}

/** Number of events per step; each step reports its progress. */
const STEP = 20_000
const MOST_PROBLEMS = 1_000

/** Carries out the steps of a verification: through the server, or in this process. */
interface Verifier {
  verify: (range: { since: string | undefined; limit: number }) => Promise<VerifiedEventsAnswer>
  stats: () => Promise<LedgerStats>
  /** Reads the positions of readers first, then the newest event. */
  places: () => Promise<ReadPlaces>
}

/** Positions up to which others have read. Instants are UTC, six digits. */
interface ReadPlaces {
  subscriptions: Pick<Subscription, 'id' | 'last_event_at'>[]
  consumers: { name: string; checkpoint: string; epoch_changed: boolean }[]
  /** Read last, because it only grows. */
  head: string | null
}

/**
 * Checks all events, or those after a given one, while others may be recorded: digests, numbers, columns and the search
 * index. Then checks the counters, and that no reader is beyond the newest event.
 *
 * @throws AppError `not_found/ledger_missing`, `unavailable/…`, `conflict/ledger_owned`
 */
export async function verifyLedger(
  settings: LocalSettings,
  start: VerifyStart,
  onProgress: (progress: VerifyProgress) => void = () => {},
): Promise<LedgerVerification> {
  const { database } = settings
  const found = await ledgerViaServerOrFile(database, {
    server: (_, socketPath) => {
      const client = new LedgerSocketClient({ socketPath })
      const verify: Verifier['verify'] = async ({ since, limit }) => {
        const range = { ...(since === undefined ? {} : { since }), limit: String(limit) }
        return (await client.verify(range)).json() as VerifiedEventsAnswer
      }
      const stats = async () => (await client.stats()).json() as LedgerStats
      const places = async (): Promise<ReadPlaces> => {
        const { items: subscriptions } = (await client.subscriptions()).json() as { items: Subscription[] }
        const { items: consumers } = (await client.consumers()).json() as { items: ReadPlaces['consumers'] }
        const { head } = (await client.health()).json() as { head: string | null }
        return { subscriptions, consumers, head }
      }
      return verifySteps({ verify, stats, places }, start, onProgress)
    },
    file: async () => {
      const { store, close } = await openLedger({ ...settings, mayFollow: true, mayBeMoved: true }, 'command')
      const { events } = store
      const verify: Verifier['verify'] = async ({ since, limit }) => {
        const micros = since === undefined ? null : readTimestamp('since', since).micros
        return toVerifiedEvents(await events.verify({ since: micros, limit }))
      }
      const places = async (): Promise<ReadPlaces> => {
        const [subscriptions, stored] = [await store.subscriptions.list(), await store.consumers.list()]
        const { head, epoch } = await events.health({ withoutProof: true })
        const consumers = stored.map(({ name, checkpoint, epoch: read }) => {
          return { name, checkpoint: toTimestamp(checkpoint), epoch_changed: read !== epoch }
        })
        return { subscriptions, consumers, head: head && toTimestamp(head.capturedAt) }
      }
      try {
        return await verifySteps({ verify, stats: () => events.stats(), places }, start, onProgress)
      } finally {
        await close()
      }
    },
  })
  return { database: database.path, ...found }
}

type Found = Omit<LedgerVerification, 'database'>

async function verifySteps(
  { verify, stats, places }: Verifier,
  { since, digest }: VerifyStart,
  onProgress: (progress: VerifyProgress) => void,
): Promise<Found> {
  const before = await stats()
  const total = before.event_count
  const problems: Problem[] = []
  const report = (some: readonly Problem[]) => problems.push(...some.slice(0, MOST_PROBLEMS - problems.length))
  const counted = new Counted()
  let after: Found['after'] | undefined
  let head: Found['head'] = null
  let pending = 0
  const step = async (limit: number) => {
    const found = await verify({ since: head?.captured_at ?? since, limit })
    if (after === undefined) {
      after = found.after
      if (digest !== undefined && after && after.digest !== digest) report([otherDigest(after)])
    }
    head = found.through ?? head
    pending += found.pending
    report(found.problems)
    counted.add(found)
    onProgress({ events: counted.events, total })
    return found.has_more && found.events > 0
  }
  while (await step(STEP)) {}
  if (since === undefined && problems.length === 0) {
    // Counters change with each event, so they are compared with exactly the events that they count.
    const now = await stats()
    while (counted.events < now.event_count) {
      if (!(await step(Math.min(now.event_count - counted.events, VERIFY_LIMITS.events)))) break
    }
    report(counted.compare(before, now))
  }
  report(aheadOfEvents(await places()))
  return { events: counted.events, after: after ?? null, head: head ?? after ?? null, pending, problems }
}

/** Counts of the verified events. */
class Counted {
  events = 0
  readonly #bySource = new Map<string, { events: number; duplicates: number }>()
  readonly #byKind = new Map<string, number>()

  add({ events, by_source, by_kind }: VerifiedEventsAnswer): void {
    this.events += events
    for (const [source, more] of Object.entries(by_source)) {
      const { events, duplicates } = this.#bySource.get(source) ?? { events: 0, duplicates: 0 }
      this.#bySource.set(source, { events: events + more.events, duplicates: duplicates + more.duplicates })
    }
    for (const [kind, more] of Object.entries(by_kind)) this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + more)
  }

  /**
   * Repeats may have been counted after their event was verified. So the counter before the verification was no higher
   * than the number found.
   */
  compare(before: LedgerStats, { event_count, by_source, by_kind }: LedgerStats): Problem[] {
    const wrong: string[] = []
    const expect = (what: string, counter: number, events: number, isValid = counter === events) => {
      if (!isValid) wrong.push(`The counter of ${what} is ${counter}, but there are ${events}.`)
    }
    expect('events', event_count, this.events)
    for (const [source, { events, duplicates }] of this.#bySource) {
      const counter = by_source[source] ?? { events: 0, duplicates: 0 }
      expect(`events of ${source}`, counter.events, events)
      const isLow = counter.duplicates < duplicates
      const first = before.by_source[source]?.duplicates ?? 0
      expect(`repeats of ${source}`, isLow ? counter.duplicates : first, duplicates, !isLow && first <= duplicates)
    }
    // The answer contains only the most frequent kinds.
    for (const [kind, counter] of Object.entries(by_kind))
      expect(`${kind} events`, counter, this.#byKind.get(kind) ?? 0)
    return wrong.map(detail => ({ captured_at: null, dedupe_key: null, detail }))
  }
}

/** Readers that are beyond the newest event. Consumers of another epoch do not count: they have read another ledger. */
function aheadOfEvents({ subscriptions, consumers, head }: ReadPlaces): Problem[] {
  const isLater = (at: string | null) => at !== null && at > (head ?? toTimestamp(0))
  const newest = head === null ? 'and there are no events' : `and the newest event is of ${head}`
  const wrong = [
    ...subscriptions
      .filter(({ last_event_at }) => isLater(last_event_at))
      .map(({ id, last_event_at }) => `The last event of the subscription ${id} is of ${last_event_at}, ${newest}.`),
    ...consumers
      .filter(({ checkpoint, epoch_changed }) => !epoch_changed && isLater(checkpoint))
      .map(({ name, checkpoint }) => `The consumer ${name} has read up to ${checkpoint}, ${newest}.`),
  ]
  return wrong.map(detail => ({ captured_at: null, dedupe_key: null, detail }))
}

function otherDigest({ captured_at, digest }: NonNullable<Found['after']>): Problem {
  const detail = `The event of ${captured_at} has another digest: ${digest ?? 'none yet'}. It or an event before it was changed, or is of another ledger.`
  return { captured_at, dedupe_key: null, detail }
}
