import { csvCell } from '../../model/csv.js'
import type { StoredEvent } from '../../model/events/event.js'
import { nodeName, targetChain } from '../../model/sentences/event-names.js'

/** An event as stored, without its payload. */
export type TableEvent = Omit<StoredEvent, 'payload'>

/** Columns of the table, in order. */
const COLUMNS: Readonly<Record<string, (event: TableEvent) => string | number | null | undefined>> = {
  captured_at: event => event.captured_at,
  occurred_at: event => event.occurred_at,
  source: event => event.source,
  kind: event => event.kind,
  actor_id: event => event.actor.id,
  actor: event => event.actor.display,
  actor_role: event => event.actor_role,
  target: event => targetChain(event).map(nodeName).join(' › '),
  target_key: event => event.target.key,
  title: event => event.conversation.title,
  text: event => event.conversation.text,
  url: event => event.conversation.url ?? event.target.url,
  route: event => event.provenance.route,
  verified: event => event.provenance.verified,
  subscription_ids: event => event.subscription_ids.join(' '),
  seen_count: event => event.seen_count,
  last_seen_at: event => event.last_seen_at,
  dedupe_key: event => event.dedupe_key,
  erased_at: event => event.erased?.at,
  erased_reason: event => event.erased?.reason,
}
const READERS = Object.values(COLUMNS)

/** The header line, after the byte order mark by which spreadsheets recognise UTF-8. */
export const CSV_HEAD = `\ufeff${Object.keys(COLUMNS).join(',')}\r\n`

/** An event as a CSV line. */
export function csvLine(event: TableEvent): string {
  return `${READERS.map(read => csvCell(String(read(event) ?? ''))).join(',')}\r\n`
}
