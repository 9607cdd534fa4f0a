import type { Test } from 'tap'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { type PostgresAddress, shownAddress } from '../../../src/model/postgres-address.js'
import { type RunningServer, serve } from '../../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { memorySources } from '../../settings/memory-sources.js'
import type { TestCluster } from '../../support/postgres/cluster.js'

/** Servers of one process on one ledger in PostgreSQL. */
interface SeveralServers {
  urls: string[]
  /** `EVENT_DB` of all of them. */
  database: string
  address: PostgresAddress
  servers: RunningServer[]
}

/** @param options `env` of all servers; `address`: an empty ledger if absent */
export async function startServers(
  t: Test,
  cluster: TestCluster,
  { env = {}, address: given }: { env?: Record<string, string>; address?: PostgresAddress } = {},
): Promise<SeveralServers> {
  const address = given ?? (await cluster.emptyLedger(t))
  const database = shownAddress(address)
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', EVENT_DB: database, EVENT_DB_POOL: '4', ...env } })
  const start = () => serve(readServeSettings({ only: 'ledger', port: '0' }, sources), sources)
  // At the same time: each of them finds or makes the tables.
  const servers = await Promise.all(Array.from({ length: 3 }, start))
  t.teardown(() => Promise.all(servers.map(server => server.close())))
  return { urls: servers.map(({ ledger }) => ledger?.url ?? ''), database, address, servers }
}

interface Answer<Body> {
  status: number
  headers: Headers
  body: Body
}

/** Sends a request, with JSON if there is a body. */
export async function ask<Body = Record<string, unknown>>(
  url: string,
  { method = 'GET', body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer<Body>> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { ...json, ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body }
}

export interface Page {
  items: StoredEvent[]
  next_since: string
  has_more: boolean
}

export function eventOf(key: string, changes: Record<string, unknown> = {}) {
  return { dedupe_key: key, kind: 'note.created', subject_id: key, subject_type: 'note', source: 'notes', ...changes }
}

/** All events, oldest first, from one server. */
export async function readAll(url: string, query = ''): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let since = '1970-01-01T00:00:00Z'; ; ) {
    const { body } = await ask<Page>(`${url}/api/events?order=asc&limit=500&since=${since}${query}`)
    events.push(...body.items)
    if (!body.has_more) return events
    since = body.next_since
  }
}
