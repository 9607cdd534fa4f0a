import { readEvent } from '../src/ledger/read-event.js'
import { searchableStrings } from '../src/model/events/search.js'
import type { EventMaker } from './events.js'

/** The table of events and its indexes, like those of the ledger: key, order, facets and trigrams. */
export const POSTGRES_TABLE = /* sql */ `
  CREATE EXTENSION pg_trgm;
  CREATE TABLE events (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    dedupe_key text NOT NULL UNIQUE,
    captured_us bigint NOT NULL,
    source text NOT NULL,
    kind text NOT NULL,
    subject_id text NOT NULL,
    seen_count integer NOT NULL,
    body text NOT NULL,
    said text NOT NULL,
    facets text[] NOT NULL
  );
  CREATE INDEX ON events (captured_us);
  CREATE INDEX ON events USING gin (facets);
  CREATE INDEX ON events USING gin (said gin_trgm_ops);`

/**
 * A pgbench script that inserts one event in one transaction. Its words are fixed; its key and subject are new each
 * time. Several scripts together vary the words.
 */
export function insertScript(maker: EventMaker, index: number): string {
  const event = readEvent(JSON.parse(maker.eventText(index)))
  const { source, kind, actor } = event
  const body = JSON.stringify({ ...event, seen_count: 1, subscription_ids: [], provenance: { route: 'api' } })
  const said = [...searchableStrings(event)].join('\n')
  const facets = [`source:${source}`, `kind:${kind}`, `actor:${actor.id}`, `actor:${actor.display}`, 'verified:none']
  const key = `${quoted(`${source}:example.org:`)} || :id::text`
  return `\\set id random(1, 9000000000000000)
INSERT INTO events (dedupe_key, captured_us, source, kind, subject_id, seen_count, body, said, facets)
VALUES (${key}, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, ${quoted(source)}, ${quoted(kind)}, :id::text, 1,
${quoted(body)}, ${quoted(said)}, ARRAY[${facets.map(quoted).join(', ')}, 'subject:' || :id::text])
ON CONFLICT (dedupe_key) DO UPDATE SET seen_count = events.seen_count + 1 RETURNING seen_count;
`
}

/** Writes colons as escapes of PostgreSQL, because pgbench would read a colon before a letter as a variable. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\072').replaceAll('\n', '\\n')
  return `E'${escaped}'`
}
