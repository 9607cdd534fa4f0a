import type { Batch, ConsumerCalls } from './consumer-reader.js'
import { isTransient, type LedgerAddress, LedgerError, send } from './fetch-transport.js'
import type { LedgerEvent } from './ledger-event.js'

/** A page of events. */
export interface Page {
  /** Oldest first. */
  items: LedgerEvent[]
  /** The checkpoint after the page. Save it after the work. */
  nextSince: string | null
  /** Changes when the ledger is restored or replaced. */
  epoch: string
}

/** The routes of one consumer, by `fetch`. */
export function consumerCalls(address: LedgerAddress, name: string): ConsumerCalls {
  const path = `/api/consumers/${encodeURIComponent(name)}`
  return {
    save: (body, signal) => send(address, { method: 'PUT', path, body }, signal),
    next: async (query, signal) => {
      const call = { method: 'GET', path: `${path}/events${toQuery(query)}`, waitSeconds: query.wait ?? 0 } as const
      return readBatch(await send(address, call, signal))
    },
    acknowledge: (body, signal) => send(address, { method: 'POST', path: `${path}/ack`, body }, signal),
    seek: (body, signal) => send(address, { method: 'POST', path: `${path}/seek`, body }, signal),
    isTransient,
  }
}

export function toQuery(values: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one))
  }
  return `?${query}`
}

function readBatch(answer: unknown): Batch {
  const { items, ack } = Object(answer)
  if (!Array.isArray(items) || typeof ack?.fence !== 'number') throw notALedger('a batch')
  return answer as Batch
}

export function readPage(answer: unknown): Page {
  const { items, next_since: nextSince = null, epoch } = Object(answer)
  if (!Array.isArray(items)) throw notALedger('a page')
  return { items, nextSince, epoch }
}

function notALedger(what: string): LedgerError {
  return new LedgerError('not_a_ledger', `The answer is not ${what} of events. Check the address.`)
}
