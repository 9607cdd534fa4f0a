import type { ApiQuery } from './filters/filter-params.js'

export interface CalledLedger {
  /** Scheme, host and root path. */
  base: string
  needsToken: boolean
}

/** Before every event of a ledger. */
const BEGINNING = '1970-01-01T00:00:00Z'

/** Requests an address with curl. The token is a variable, never a value. @param path below the root path */
export function curlCommand({ base, needsToken }: CalledLedger, path: string, flags = '-sS'): string {
  const token = needsToken ? ' -H "Authorization: Bearer $EVENT_API_TOKEN"' : ''
  // The only character of an address that would end the shell's quoting.
  return `curl ${flags}${token} '${(base + path).replaceAll("'", '%27')}'`
}

/** Every event that matches, one a line. */
export function exportCommand(ledger: CalledLedger, query: ApiQuery): string {
  return curlCommand(ledger, `/api/export?${searchOf(query)}`, '-sS --fail-with-body')
}

/** The newest events that match, as a table. */
export function listCommand({ base }: CalledLedger, query: ApiQuery): string {
  return `daybook api events${flagsOf({ ...query, 'api-url': base })}`
}

/** The events that match, then each new one: a stream has no end. */
export function streamCommand(ledger: CalledLedger, { to: _, ...query }: ApiQuery): string {
  return curlCommand(ledger, `/api/stream?${searchOf(query)}`, '-sSN')
}

/**
 * Passes each event to `./work.sh`, and after an interruption continues where it stopped. The start is an instant: one
 * that moves with the time would skip what happened during a long interruption.
 *
 * @param from start of the range; undefined: with the first event
 */
export function consumerCommand({ base }: CalledLedger, query: ApiQuery, from: string | undefined): string {
  const { days: _, to: __, ...filters } = query
  const flags = flagsOf({ ...filters, ...(from === undefined ? {} : { from }), 'api-url': base })
  return `[ -s checkpoint ] || echo ${BEGINNING} > checkpoint
daybook api events --follow --since="$(cat checkpoint)"${flags} | while IFS= read -r event; do
  until printf '%s\\n' "$event" | ./work.sh; do sleep 1; done
  printf '%s\\n' "$event" | jq -r .captured_at > checkpoint.new && mv checkpoint.new checkpoint
done`
}

function pairsOf(query: ApiQuery): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
}

function searchOf(query: ApiQuery): URLSearchParams {
  return new URLSearchParams(pairsOf(query))
}

function flagsOf(query: ApiQuery): string {
  return pairsOf(query)
    .map(([name, value]) => ` --${name.replaceAll('_', '-')}=${quoted(value)}`)
    .join('')
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return /^[\w@%+:,./~=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
