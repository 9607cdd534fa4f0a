import { join } from 'node:path'
import type { Test } from 'tap'
import { serve } from '../../../src/runtime/serve/serve.js'
import { readServeSettings, type ServeFlags } from '../../../src/settings/serve-settings.js'
import { memorySources } from '../../settings/memory-sources.js'

/** Of leaders and followers. */
export const ADMIN_TOKEN = 'a-long-enough-secret'
const AS_ADMIN = { 'x-event-admin-token': ADMIN_TOKEN }

/** A ledger that is served in this process. */
export interface TestServer {
  url: string
  port: number
  /** As the admin, unless `headers` say otherwise. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** The JSON of an answer. */
  get<Body = Record<string, unknown>>(path: string): Promise<Body>
  /** Every event, as lines of JSON. */
  lines(): Promise<string>
  close(): Promise<void>
}

export const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', EVENT_ADMIN_TOKEN: ADMIN_TOKEN } })

export async function startServer(
  t: Test,
  folder: string,
  name: string,
  flags: ServeFlags = {},
  from = sources,
): Promise<TestServer> {
  const settings = readServeSettings({ only: 'ledger', db: join(folder, `${name}.db`), port: '0', ...flags }, from)
  const running = await serve(settings, from)
  const { url = '', port = 0 } = running.ledger ?? {}
  t.teardown(() => running.close())
  const call: TestServer['call'] = (method, path, body, headers = AS_ADMIN) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    return fetch(url + path, { method, headers: { 'content-type': 'application/json', ...headers }, ...json })
  }
  return {
    url,
    port,
    call,
    get: async <Body>(path: string) => (await (await call('GET', path)).json()) as Body,
    lines: async () => (await call('GET', '/api/export?since=1970-01-01T00:00:00Z')).text(),
    close: () => running.close(),
  }
}

export function note(id: string, text = 'all green') {
  return { dedupe_key: `note:${id}`, kind: 'note.created', subject_type: 'note', subject_id: id, payload: { text } }
}
