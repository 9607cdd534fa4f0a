import { once } from 'node:events'
import { connect } from 'node:net'
import pino from 'pino'
import type { Test } from 'tap'
import { readEvent } from '../../src/ledger/read-event.js'
import type { Provenance } from '../../src/model/events/event.js'
import type { CaptureTotals } from '../../src/model/subscriptions/capture.js'
import { acceptLargeDelivery } from '../../src/platforms/deliveries/accept-delivery.js'
import { reconcileOff } from '../../src/runtime/reconcile/reconcile-schedule.js'
import type { ServedReconciliations } from '../../src/server/events/reconcile-route.js'
import type { HttpApp } from '../../src/server/http/http-app.js'
import type { ServedCopies } from '../../src/server/ledger/copy-routes.js'
import type { ServedFollowing } from '../../src/server/ledger/follow-routes.js'
import {
  createLedgerServer,
  type LedgerServerOptions,
  type LedgerServerSettings,
} from '../../src/server/ledger/ledger-server.js'
import type { ServedLedger } from '../../src/server/ledger/served-ledger.js'
import { notFollowing } from '../../src/store/copy-store.js'
import { MemoryLedger, START } from './memory-ledger.js'
import { OPEN_ACCOUNTS } from './open-accounts.js'

/** Of a ledger that follows no other one. */
const OWN_LEDGER: ServedFollowing = {
  status: () => undefined,
  promotion: async () => undefined,
  promote: () => Promise.reject(notFollowing()),
}

/** Of a server that compares no hooks. */
const NO_RECONCILIATIONS: ServedReconciliations = {
  run: async ({ dry_run }) => ({ dry_run, hooks: [] }),
  status: async () => ({ hooks: [], running: null, last: null, reports: [] }),
  start: async () => {
    throw reconcileOff()
  },
}

/** Of an empty ledger. */
const NO_COPIES: ServedCopies = {
  readPage: async () => ({
    lines: new Uint8Array(),
    events: 0,
    through: null,
    changes: 0,
    numbering: 'n',
    eventsLeft: 0,
    hasMore: false,
    head: null,
    epoch: 'e',
  }),
  readState: async () => ({ closed: true, subscriptions: [], users: [], tokens: [], consumers: [], dead_letters: [] }),
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The body as JSON, or undefined. */
  body: Record<string, unknown>
}

export interface Served {
  /** What is served, unless another ledger was given. */
  ledger: MemoryLedger
  port: number
  /** `http://127.0.0.1:<port>` */
  url: string
  /** Lines of the log so far. */
  log: Record<string, unknown>[]
  close(): Promise<void>
  /** For a server of the test's own. */
  handler: HttpApp['handler']
  request(path: string, init?: RequestInit): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends bytes as they are and reads until the server closes; ask it to with `Connection: close`. */
  raw(text: string | Buffer): Promise<string>
}

export type ServeOptions = Partial<Omit<LedgerServerOptions, 'settings'>> & {
  settings?: Partial<LedgerServerSettings>
  /** A socket on which the server also listens, for requests of the user who owns the ledger's file. */
  socketPath?: string
}

/** An open ledger, called directly. */
const SETTINGS: LedgerServerSettings = {
  rootPath: '',
  allowOpen: false,
  corsOrigins: [],
  webhookSecrets: { chat: [], forum: [], code_a: [], code_b: [] },
  requireVerified: false,
  writers: 'anyone',
  anonymousRate: 0,
  cookieSecure: false,
  trustedProxies: [],
  throttleLogins: false,
  loginPage: { palette: 'indigo', layout: 'card', appearance: 'system' },
}

/** What captures have done that never ran. */
export const NO_CAPTURES: CaptureTotals = {
  outcomes: { captured: 0, disabled: 0, expired: 0, failed: 0 },
  created: 0,
  duplicates: 0,
}

/** All that a ledger server needs, except a ledger, a log and the ids of requests. */
export const SERVER_PARTS: Omit<LedgerServerOptions, 'ledger' | 'logger' | 'requestIds'> = {
  accounts: OPEN_ACCOUNTS,
  captures: { run: async () => ({ captures: [], left: 0 }), totals: () => NO_CAPTURES },
  reconciliations: NO_RECONCILIATIONS,
  copyTo: async () => {},
  verify: () => Promise.reject(new Error('This ledger is not verified.')),
  copies: NO_COPIES,
  following: OWN_LEDGER,
  database: { database: '/var/lib/ledger.db', engine: 'sqlite' },
  storageSizes: async () => ({ database: 4_096 }),
  lastBackup: () => undefined,
  accessLog: false,
  adapters: [],
  platforms: [],
  acceptLargeDelivery: async (adapter, delivery, rules) => acceptLargeDelivery(adapter, delivery, rules),
  version: '1.2.3',
  now: () => START,
  settings: SETTINGS,
}

/** A ledger server on a port of its own, closed when the test ends. */
export async function serve(t: Test, options: ServeOptions = {}): Promise<Served> {
  const ledger = new MemoryLedger()
  const log: Record<string, unknown>[] = []
  const { settings, socketPath, ...others } = options
  let requests = 0
  const server = createLedgerServer({
    ledger,
    ...SERVER_PARTS,
    logger: pino({ level: 'debug', base: null }, { write: line => log.push(JSON.parse(line)) }),
    requestIds: () => `request-${++requests}`,
    ...others,
    settings: { ...SETTINGS, ...settings },
  })
  const { port } = await server.listen('127.0.0.1', 0)
  t.teardown(() => server.close())
  if (socketPath !== undefined) await server.listenSocket(socketPath)
  const url = `http://127.0.0.1:${port}`

  const request = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init })
    const text = await response.text()
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '') && text !== ''
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }
  return {
    ledger,
    port,
    url,
    log,
    close: () => server.close(),
    handler: server.handler,
    request,
    post: (path, body, headers) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    raw: async text => {
      const socket = connect(port, '127.0.0.1')
      const chunks: Buffer[] = []
      socket.on('data', chunk => chunks.push(chunk))
      socket.write(text)
      await once(socket, 'close')
      return Buffer.concat(chunks).toString()
    },
  }
}

/** Records events without a request: to send and parse megabytes of JSON costs more than most tests. */
export function record(
  ledger: Pick<ServedLedger, 'record'>,
  messages: readonly Record<string, unknown>[],
  provenance: Provenance = { route: 'api', verified: 'none' },
): Promise<unknown> {
  return ledger.record(messages.map(one => ({ event: readEvent(one), provenance })))
}

/** The least that is an event; `subject_id` makes its key. */
export function message(subjectId: string | number, members: Record<string, unknown> = {}): Record<string, unknown> {
  return { kind: 'message.created', subject_type: 'message', subject_id: String(subjectId), ...members }
}
