import type { Answer } from '../answer.js'
import type { LedgerClient } from '../ledger-client.js'
import type { Batch, ConsumerCalls } from '../library/consumer-reader.js'
import { isTransient } from '../retry-wait.js'

/** The routes of one consumer, as a command calls them. */
export function ledgerCalls(client: LedgerClient, name: string): ConsumerCalls {
  return {
    save: async (body, signal) => (await client.saveConsumer(name, JSON.stringify(body), { signal })).json(),
    next: async ({ wait, limit, fence, lease_seconds }, signal) => {
      const text = (value: number | undefined) => (value === undefined ? undefined : String(value))
      const query = { wait: text(wait), limit: text(limit), fence: text(fence), lease_seconds: text(lease_seconds) }
      return readBatch(await client.consumerEvents(name, query, { signal }))
    },
    acknowledge: (body, signal) => client.acknowledge(name, JSON.stringify(body), { signal }),
    seek: (body, signal) => client.seekConsumer(name, JSON.stringify(body), { signal }),
    isTransient,
  }
}

function readBatch(answer: Answer): Batch {
  const batch = answer.json()
  if (typeof batch !== 'object' || batch === null || !('items' in batch) || !('ack' in batch)) {
    throw answer.mismatch('a batch of events')
  }
  return batch as Batch
}
