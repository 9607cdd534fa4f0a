import { clockBehind } from '../../ledger/clock-behind.js'
import { html, Markup } from '../../login/html.js'
import { AppError } from '../../model/app-error.js'
import type { FollowStatus } from '../../model/follow.js'
import { HealthSchema } from '../../model/ledger-answers.js'
import type { LiveStatus } from '../../model/subscriptions/live-capture.js'
import { type Micros, readTimestamp, toTimestamp } from '../../model/timestamp.js'
import type { ReplicaHealth, StoreHealth } from '../../store/event-store.js'
import { HTTP_STATUS, toProblemReply } from '../answer/problem.js'
import { json } from '../answer/reply.js'
import type { ServedCaptures } from '../events/capture-route.js'
import { documented, type Endpoint, type Reply, type RouteDoc } from '../http/route.js'
import { diskLow, type ReadStorageSizes } from '../metrics/process-metrics.js'
import type { PlainAnswer, ShowPlainPage } from '../pages/plain-pages.js'
import type { ServedFollowing } from './follow-routes.js'
import type { ServedLedger } from './served-ledger.js'

/** The database, for answers while the store cannot name it. */
export type DatabaseName = Pick<StoreHealth, 'database' | 'engine'> & {
  /** Warning about files that seemed to be missing when the database was opened. */
  warning?: string
}

interface HealthParts {
  ledger: ServedLedger
  database: DatabaseName
  version: string
  /** Whether the events are samples; a page shows that. */
  isDemo: boolean
  /** The wall clock. */
  now: () => Micros
  showPlain: ShowPlainPage
  storageSizes: ReadStorageSizes
  following: Pick<ServedFollowing, 'status' | 'promotion'>
  captures: Pick<ServedCaptures, 'live'>
}

/** `GET /api/health`: 200 when the store can commit; 503 with the reason when it cannot, or after it found damage. */
export function health({ ledger, database: named, version, isDemo, now, ...parts }: HealthParts): Endpoint {
  const { showPlain, storageSizes, following, captures } = parts
  const demo = isDemo ? { demo: true } : {}
  const missing = named.warning === undefined ? [] : [{ code: 'files_missing', detail: named.warning }]
  const withWarnings = (found: readonly object[]) => (found.length > 0 ? { warnings: found } : {})
  return documented(DOC, async req => {
    try {
      const { database, engine, head, epoch, schemaVersion, unindexedEvents, replica, damage } = await ledger.health()
      const clock = clockBehind(head?.capturedAt ?? null, now())
      const status = following.status()
      const promotion = await following.promotion()
      const behind = status ? followFails(status) : stalled(await ledger.consumers.countStalled())
      const live = captures.live?.()?.status
      const found = [clock, behind, await diskLow(storageSizes), unreadable(replica), live && liveLost(live, now())]
      const known = {
        database,
        version,
        engine,
        head: head && toTimestamp(head.capturedAt),
        head_digest: head?.digest ?? null,
        epoch,
        schema_version: schemaVersion,
        unindexed_events: unindexedEvents,
        ...(status ? { follows: status } : {}),
        ...(promotion ? { continues: promotion } : {}),
        ...(live ? { chat_live: live } : {}),
        ...(replica && !replica.problem ? { replica: lagOf(replica) } : {}),
        ...withWarnings([...missing, ...found.filter(warning => warning !== undefined)]),
        ...demo,
      }
      if (damage) return unavailable(damage, known, req.requestId, page => showPlain(req, page))
      const page = { status: 200, ...(status ? FOLLOWS : ACCEPTS) }
      return showPlain(req, { ...page, details: factsOf(known) }) ?? json(200, { status: 'ok', ...known })
    } catch (error) {
      if (!(error instanceof AppError) || error.category !== 'unavailable') throw error
      const { database, engine } = named
      const known = { database, version, engine, head: null, ...withWarnings(missing), ...demo }
      return unavailable(error, known, req.requestId, page => showPlain(req, page))
    }
  })
}

const ACCEPTS = { title: 'The ledger accepts events', text: 'The database can be read and written.' }
const FOLLOWS = { title: 'The ledger follows another one', text: 'It can be read. Changes are made in the other one.' }
/** A shorter failure causes no warning, so that a leader can be restarted. */
const FAILING_SECONDS = 60

function followFails({ leader, state, problem, lag_seconds }: FollowStatus): Warning | undefined {
  if (state === 'stopped')
    return { code: 'follow_stopped', detail: problem ?? `${leader} is not the same ledger any more.` }
  if (lag_seconds < FAILING_SECONDS) return undefined
  const why = problem ?? 'It is still copying.'
  return { code: 'follow_behind', detail: `This ledger is ${lag_seconds} s behind ${leader}. ${why}` }
}

interface Warning {
  code: string
  detail: string
}

/** Contains no names, because the health of a ledger is public. */
function stalled(count: number): Warning | undefined {
  if (count === 0) return undefined
  const what = count === 1 ? 'A consumer is' : `${count} consumers are`
  const detail = `${what} stalled: events wait. \`daybook consumers list\` shows which.`
  return { code: 'consumers_stalled', detail }
}

/** Does not contain the address of the chat server, because the health of a ledger is public. */
function liveLost({ state, since, code }: LiveStatus, now: Micros): Warning | undefined {
  const seconds = Math.floor((now - readTimestamp('since', since).micros) / 1_000_000)
  if (state !== 'lost' || seconds < FAILING_SECONDS) return undefined
  const detail = `The event queue of the chat server could not be read for ${seconds} s (${code}). Capture by interval continues.`
  return { code: 'chat_live_lost', detail }
}

function lagOf({ lagEvents, lagSeconds }: ReplicaHealth) {
  return { lag_events: lagEvents, lag_seconds: lagSeconds }
}

function unreadable(replica: ReplicaHealth | undefined): { code: string; detail: string } | undefined {
  if (!replica?.problem) return undefined
  return { code: 'replica_unreadable', detail: `The read replica is not used: ${replica.problem.message}` }
}

function unavailable(
  error: AppError,
  known: object,
  requestId: string,
  show: (page: PlainAnswer) => Reply | undefined,
): Reply {
  const { code, message: detail } = error
  const status = HTTP_STATUS.unavailable
  const headers = toProblemReply(error, requestId).headers ?? []
  const page = { status, headers, title: 'The ledger does not accept events', text: detail, code }
  const shown = show({ ...page, details: factsOf(known) })
  return shown ?? { ...json(status, { status: 'unavailable', ...known, code, detail }), headers }
}

/** Members of the answer as a list, under their names. */
function factsOf(known: object): Markup {
  const rows = Object.entries(known).map(([name, value]) => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? 'none')
    return html`<dt>${name.replaceAll('_', ' ')}</dt><dd>${text}</dd>`.text
  })
  return html`<dl>${new Markup(rows.join('\n'))}</dl>`
}

const DOC: RouteDoc = {
  summary: 'Whether the ledger can accept events, and its database',
  description: '200 if it can, 503 with the reason if it cannot; needs no login.',
  answers: {
    200: { description: 'It can', schema: HealthSchema },
    503: { description: 'It cannot', schema: HealthSchema },
  },
}
