import type { Test } from 'tap'
import type { LedgerAccounts } from '../../src/accounts/ledger-accounts.js'
import type { Role, User } from '../../src/model/accounts/user.js'
import { AccountsRig, PASSWORD } from '../accounts/accounts-rig.js'
import { type Served, type ServeOptions, serve } from './serve.js'

export const ADMIN_TOKEN = 'the-admin-token-of-the-tests'

export type Headers = Record<string, string>

/** An answer to a raw request, which no HTTP client has normalised. */
export interface RawAnswer {
  status: number
  /** Lines as sent, names in lower case. */
  headers: [name: string, value: string][]
  text: string
  /** Of JSON; empty for anything else. */
  body: Record<string, unknown>
}

export interface RawRequest {
  method?: string
  headers?: Headers
  /** Text is sent unchanged, any other value as JSON. */
  body?: unknown
}

/** A session as a browser has it. */
interface BrowserSession {
  cookie: string
  csrfToken: string
  /** Both, as headers. */
  headers: Headers
}

/** A server whose ledger has users: `ada`, an admin, `mia` and `otto`, members. Their password is `PASSWORD`. */
export interface ClosedLedger extends Served {
  rig: AccountsRig
  accounts: LedgerAccounts
  ada: User
  mia: User
  otto: User
  /** One request over a connection of its own, with exactly these headers in addition to `Host`, `Content-Length` and `Connection`. */
  send(path: string, request?: RawRequest): Promise<RawAnswer>
  /** A new API token, as a header. */
  byToken(user: User): Promise<Headers>
  /** A new session. */
  logIn(user: User): Promise<BrowserSession>
}

export const BY_ADMIN_TOKEN: Headers = { 'X-Event-Admin-Token': ADMIN_TOKEN }

export async function serveClosed(t: Test, options: ServeOptions = {}): Promise<ClosedLedger> {
  const rig = await AccountsRig.open(t)
  const accounts = await rig.start({ adminToken: ADMIN_TOKEN, throttleLogins: false })
  const create = (username: string, role: Role) => accounts.createUser({ username, password: PASSWORD, role })
  const people = {
    ada: await create('ada', 'admin'),
    mia: await create('mia', 'member'),
    otto: await create('otto', 'member'),
  }
  const served = await serve(t, { accounts, ...options })
  const send = (path: string, request?: RawRequest) => sendRaw(served, path, request)
  const root = options.settings?.rootPath ?? ''
  return {
    ...served,
    ...people,
    rig,
    accounts,
    send,
    byToken: async user => ({ Authorization: `Bearer ${(await accounts.tokens.issue(user.id)).token}` }),
    logIn: async ({ username }) => {
      const { headers, body } = await send(`${root}/api/login`, {
        method: 'POST',
        body: { username, password: PASSWORD },
      })
      const [cookie = ''] = valuesOf(headers, 'set-cookie').map(line => line.split(';', 1)[0])
      const csrfToken = String(body.csrf_token)
      return { cookie, csrfToken, headers: { Cookie: cookie, 'X-CSRF-Token': csrfToken } }
    },
  }
}

/** One request with a body that is JSON unless its headers say otherwise. */
export async function sendRaw(
  { port, raw }: Pick<Served, 'port' | 'raw'>,
  path: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  const lines = {
    Host: `127.0.0.1:${port}`,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return readAnswer(await raw(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`))
}

export function readAnswer(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [start = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const text = answer.slice(end + 4)
  const isJson = valuesOf(headers, 'content-type').some(type => type.includes('json')) && text !== ''
  return { status: Number(start.slice(9, 12)), headers, text, body: isJson ? JSON.parse(text) : {} }
}

/** Every value of a header. */
export function valuesOf(headers: RawAnswer['headers'], name: string): string[] {
  return headers.filter(([known]) => known === name).map(([, value]) => value)
}
