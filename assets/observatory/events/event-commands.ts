import type { ApiQuery } from './filters/filter-params.js'

interface CalledLedger {
  /** Scheme, host and root path. */
  base: string
  needsToken: boolean
}

/** Requests an address with curl. The token is a variable, never a value. @param path below the root path */
export function curlCommand({ base, needsToken }: CalledLedger, path: string, flags = '-sS'): string {
  const token = needsToken ? ' -H "Authorization: Bearer $EVENT_API_TOKEN"' : ''
  // `'` is the only character of an address that would end the shell's quoting.
  return `curl ${flags}${token} '${(base + path).replaceAll("'", '%27')}'`
}

/** Requests every matching event, one a line. */
export function exportCommand(ledger: CalledLedger, query: ApiQuery): string {
  return curlCommand(ledger, `/api/export?${searchOf(query)}`, '-sS --fail-with-body')
}

/** Lists the newest matching events as a table. */
export function listCommand({ base }: CalledLedger, query: ApiQuery): string {
  return `daybook api events${flagsOf({ ...query, 'api-url': base })}`
}

/** Requests the matching events, then each new one. A stream has no end. */
export function streamCommand(ledger: CalledLedger, { to: _, ...query }: ApiQuery): string {
  return curlCommand(ledger, `/api/stream?${searchOf(query)}`, '-sSN')
}

/** Passes each event to `./work.sh`. The ledger keeps the checkpoint. @param from start of the range; of a new consumer */
export function consumerCommand({ base }: CalledLedger, query: ApiQuery, from = 'beginning'): string {
  const { days: _, to: __, ...filters } = query
  return `daybook consume my-consumer${flagsOf({ ...filters, from, 'api-url': base })} --exec ./work.sh`
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
