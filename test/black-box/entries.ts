import type { StoredEvent } from '../../src/model/events/event.js'
import type { HttpClient } from './http-client.js'

/** The checkpoint before all events. */
export const BEGINNING = '1970-01-01T00:00:00.000000Z'

/** An event as a client sends it, in the stream `eng`. Everything may be overridden. */
export function entry(key: string, members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    dedupe_key: key,
    source: 'chat',
    kind: 'message.created',
    subject_id: key,
    subject_type: 'message',
    actor: { id: '17', display: 'Ada' },
    target: { type: 'message', key: `message:${key}`, parent: { type: 'stream', key: 'stream:4', display: 'eng' } },
    conversation: { key: 'stream:4', title: 'eng', text: `all green for ${key}` },
    payload: { said: key },
    ...members,
  }
}

export function toLines(events: readonly unknown[]): string {
  return events.map(event => `${JSON.stringify(event)}\n`).join('')
}

export interface Page {
  items: StoredEvent[]
  count: number
  latest_captured_at: string | null
  next_since: string | null
  has_more: boolean
  head: string | null
  epoch: string
}

/** The result of one delivery. */
export interface Recorded {
  created: boolean
  dedupe_key: string
  seen_count: number
  captured_at: string
}

/** Reads the whole ledger, oldest first, by checkpoints. */
export async function readAll(http: HttpClient): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let since = BEGINNING, more = true; more; ) {
    const answer = await http.get(`/api/events?limit=500&since=${since}`)
    if (answer.status !== 200) throw new Error(`Reading was answered ${answer.status}: ${answer.text}`)
    const page = answer.json<Page>()
    events.push(...page.items)
    since = page.next_since ?? since
    more = page.has_more
  }
  return events
}
