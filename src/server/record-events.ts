import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Identity } from '../accounts/identity.js'
import type { EventDelivery } from '../ledger/ledger.js'
import { readEvent } from '../ledger/read-event.js'
import type { ToAddress } from '../login/throttle-address.js'
import { AppError } from '../model/app-error.js'
import type { NewEvent } from '../model/events/event.js'
import { EVENT_LIMITS } from '../model/events/event-limits.js'
import { toTimestamp } from '../model/timestamp.js'
import type { RecordOutcome } from '../store/event-store.js'
import type { AnonymousRate } from './anonymous-rate.js'
import { type ReadBody, sizeText, tooLarge } from './body.js'
import { addressOf } from './caller-address.js'
import { firstByte, readJson, splitArray, splitLines } from './json-bytes.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { readMediaType } from './media-type.js'
import { type RecordingRights, recordingRightsOf, refuseForeignSource } from './recording-rights.js'
import { fieldsOf, joinRefusals } from './refusals.js'
import type { HttpRequest, LedgerHandler, Reply } from './route.js'
import type { ServedLedger } from './served-ledger.js'

export const EVENT_MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const

/** How much of a batch is read before other requests get their turn. */
const BYTES_A_TURN = 256 * 1024

export interface RecordEventsParts {
  ledger: ServedLedger
  readBody: ReadBody
  metrics: LedgerMetrics
  anonymousRate: AnonymousRate
  throttleAddress: ToAddress
}

/**
 * `POST /api/events`: one event as a JSON object, or a batch as a JSON array or as lines of JSON. A batch is recorded
 * as a whole or, when anything in it is refused, not at all.
 */
export function recordEvents(parts: RecordEventsParts): LedgerHandler {
  const { readBody } = parts
  return async (req: HttpRequest<Identity>, res: ServerResponse) => {
    const type = readMediaType(req, EVENT_MEDIA_TYPES)
    const rights = recordingRightsOf(req.identity)
    const record = recorder(parts, { req, rights })
    const bytes = await readBody(req, res, EVENT_LIMITS.batchBytes)

    if (type === 'application/json' && firstByte(bytes) !== 0x5b) {
      if (bytes.length > EVENT_LIMITS.bytes) throw tooLarge(EVENT_LIMITS.bytes)
      const [outcome] = await record([toEvent(bytes, rights)])
      if (!outcome) throw new Error('The ledger answered one delivery with no outcome')
      return toEventReply(outcome, rights)
    }

    const texts = type === 'application/json' ? splitArray(bytes) : splitLines(bytes)
    return toBatchReply(await record(await readBatch(texts, rights)))
  }
}

/** Records what one request sends, as far as its caller may. An address that has used up its allowance is refused here. */
function recorder(
  { ledger, metrics, anonymousRate, throttleAddress }: RecordEventsParts,
  { req, rights }: { req: HttpRequest; rights: RecordingRights },
): (events: readonly NewEvent[]) => Promise<RecordOutcome[]> {
  const { provenance, sources, isStranger } = rights
  const address = addressOf(req, throttleAddress)
  if (isStranger) anonymousRate.check(address)
  return async events => {
    if (sources) for (const event of events) refuseForeignSource(event, sources)
    if (isStranger) {
      anonymousRate.check(address, events.length)
      anonymousRate.count(address, events.length)
    }
    const deliveries = events.map((event): EventDelivery => ({ event, provenance }))
    const outcomes = deliveries.length > 0 ? await ledger.record(deliveries) : []
    for (const outcome of outcomes) metrics.countDelivery('api', outcome.created)
    return outcomes
  }
}

/** Reports everything that is wrong with a batch, each under the index of its event. */
async function readBatch(texts: Iterable<Buffer>, rights: RecordingRights): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  const refusals: AppError[] = []
  let index = 0
  let bytesThisTurn = 0
  for (const text of texts) {
    if (index === EVENT_LIMITS.batchEvents) {
      const detail = `A batch holds at most ${EVENT_LIMITS.batchEvents} events. Send several.`
      throw new AppError('too_large', 'body_too_large', detail)
    }
    try {
      events.push(readEventText(text, rights))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refusals.push(atIndex(index, error))
    }
    index += 1
    bytesThisTurn += text.length
    if (bytesThisTurn >= BYTES_A_TURN) {
      bytesThisTurn = 0
      await nextTurn()
    }
  }
  if (refusals.length > 0) throw joinRefusals(refusals)
  return events
}

function readEventText(text: Buffer, rights: RecordingRights): NewEvent {
  if (text.length > EVENT_LIMITS.bytes) {
    throw new AppError('invalid', 'invalid_field', `An event is larger than ${sizeText(EVENT_LIMITS.bytes)}.`)
  }
  return toEvent(text, rights)
}

function toEvent(text: Buffer, { isStranger }: RecordingRights): NewEvent {
  return readEvent(readJson(text), isStranger ? EVENT_LIMITS.unverifiedKeyCharacters : undefined)
}

function atIndex(index: number, refusal: AppError): AppError {
  const errors = fieldsOf(refusal).map(({ field, detail }) => ({ field: `/${index}${field}`, detail }))
  return new AppError('invalid', refusal.code, `Event ${index}: ${refusal.message}`, { errors })
}

function toEventReply(outcome: RecordOutcome, { showsEvent }: RecordingRights): Reply {
  const event = showsEvent ? `,"event":${outcome.body}` : ''
  return { status: outcome.created ? 201 : 200, body: `{${outcomeMembers(outcome)}${event}}` }
}

function toBatchReply(outcomes: readonly RecordOutcome[]): Reply {
  const created = outcomes.filter(outcome => outcome.created).length
  const results = outcomes.map(outcome => `{${outcomeMembers(outcome)}}`).join(',')
  const body = `{"created":${created},"duplicates":${outcomes.length - created},"results":[${results}]}`
  return { status: 200, body }
}

function outcomeMembers({ created, dedupeKey, seenCount, capturedAt }: RecordOutcome): string {
  return `"created":${created},"dedupe_key":${JSON.stringify(dedupeKey)},"seen_count":${seenCount},"captured_at":"${toTimestamp(capturedAt)}"`
}
