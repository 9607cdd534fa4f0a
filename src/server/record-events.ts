import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventDelivery } from '../ledger/ledger.js'
import { readEvent } from '../ledger/read-event.js'
import { AppError } from '../model/app-error.js'
import type { Provenance } from '../model/event.js'
import { EVENT_LIMITS } from '../model/event-limits.js'
import { toTimestamp } from '../model/timestamp.js'
import type { RecordOutcome } from '../store/event-store.js'
import { type ReadBody, sizeText, tooLarge } from './body.js'
import { firstByte, readJson, splitArray, splitLines } from './json-bytes.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { readMediaType } from './media-type.js'
import { fieldsOf, joinRefusals } from './refusals.js'
import type { Handler, HttpRequest, Reply } from './route.js'
import type { ServedLedger } from './served-ledger.js'

export const EVENT_MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const

/** How much of a batch is read before other requests get their turn. */
const BYTES_A_TURN = 256 * 1024

/**
 * `POST /api/events`: one event as a JSON object, or a batch as a JSON array or as lines of JSON. A batch is recorded
 * as a whole or, when anything in it is refused, not at all.
 */
export function recordEvents(ledger: ServedLedger, readBody: ReadBody, metrics: LedgerMetrics): Handler {
  return async (req: HttpRequest, res: ServerResponse) => {
    const type = readMediaType(req, EVENT_MEDIA_TYPES)
    const bytes = await readBody(req, res, EVENT_LIMITS.batchBytes)
    const provenance: Provenance = { route: 'api', verified: 'none' }

    if (type === 'application/json' && firstByte(bytes) !== 0x5b) {
      if (bytes.length > EVENT_LIMITS.bytes) throw tooLarge(EVENT_LIMITS.bytes)
      const [outcome] = await ledger.record([{ event: readEvent(readJson(bytes)), provenance }])
      if (!outcome) throw new Error('The ledger answered one delivery with no outcome')
      metrics.countDelivery('api', outcome.created)
      return toEventReply(outcome)
    }

    const texts = type === 'application/json' ? splitArray(bytes) : splitLines(bytes)
    const deliveries = await readBatch(texts, provenance)
    const outcomes = deliveries.length > 0 ? await ledger.record(deliveries) : []
    for (const outcome of outcomes) metrics.countDelivery('api', outcome.created)
    return toBatchReply(outcomes)
  }
}

/** Everything that is wrong with a batch is told at once, each under the index of its event. */
async function readBatch(texts: Iterable<Buffer>, provenance: Provenance): Promise<EventDelivery[]> {
  const deliveries: EventDelivery[] = []
  const refusals: AppError[] = []
  let index = 0
  let bytesThisTurn = 0
  for (const text of texts) {
    if (index === EVENT_LIMITS.batchEvents) {
      const detail = `A batch holds at most ${EVENT_LIMITS.batchEvents} events. Send several.`
      throw new AppError('too_large', 'body_too_large', detail)
    }
    try {
      deliveries.push({ event: readEventText(text), provenance })
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
  return deliveries
}

function readEventText(text: Buffer) {
  if (text.length > EVENT_LIMITS.bytes) {
    throw new AppError('invalid', 'invalid_field', `An event is larger than ${sizeText(EVENT_LIMITS.bytes)}.`)
  }
  return readEvent(readJson(text))
}

function atIndex(index: number, refusal: AppError): AppError {
  const errors = fieldsOf(refusal).map(({ field, detail }) => ({ field: `/${index}${field}`, detail }))
  return new AppError('invalid', refusal.code, `Event ${index}: ${refusal.message}`, { errors })
}

function toEventReply(outcome: RecordOutcome): Reply {
  return { status: outcome.created ? 201 : 200, body: `{${outcomeMembers(outcome)},"event":${outcome.body}}` }
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
