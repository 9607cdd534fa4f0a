/** Where a ledger is, and who calls it. */
export interface LedgerAddress {
  /** Such as `http://127.0.0.1:8765`. May have a path. */
  url: string
  /** An API token, for a ledger that needs one. */
  token?: string | undefined
  /** Instead of the global `fetch`, such as one that uses a proxy. */
  fetch?: typeof fetch | undefined
}

const TOKEN = /^[\x21-\x7e]*$/

/**
 * The address with which requests are sent. `fetch` would fail for another one as it does for a server that is away, so a
 * program would wait for it indefinitely.
 *
 * @throws TypeError, without the token
 */
export function readAddress({ url, token, fetch }: LedgerAddress): LedgerAddress {
  const { protocol, username, password, search, hash, origin, pathname = '' } = parse(url) ?? {}
  if (!/^https?:$/.test(protocol ?? '') || username || password || search || hash) {
    throw new TypeError('url must be an http or https address without user name, query and fragment.')
  }
  // A file from which a token is read ends with a line break.
  const word = token?.trim()
  if (word !== undefined && !TOKEN.test(word))
    throw new TypeError('token must be one word of printable ASCII characters.')
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  return { url: `${origin}${path}`, token: word || undefined, fetch }
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}

/** The ledger refused a request, or cannot be reached. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'

  /** HTTP status; absent without an answer. */
  readonly status: number | undefined
  /** How long the server asks to wait before the next try. */
  readonly retryAfterSeconds: number | undefined
  /** With `pruned`: the checkpoint to continue with. */
  readonly nextSince: string | undefined

  /** @param code for programs, such as `not_found`, `server_unreachable` or `server_timeout` */
  constructor(
    readonly code: string,
    message: string,
    { status, retryAfterSeconds, nextSince, cause }: LedgerErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
    this.nextSince = nextSince
  }
}

interface LedgerErrorDetails {
  status?: number
  retryAfterSeconds?: number | undefined
  nextSince?: string | undefined
  cause?: unknown
}

/** Whether a retry can help: the server is unreachable, busy, or had an internal error. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof LedgerError)) return false
  return error.status === undefined || error.status === 429 || error.status >= 500
}

interface LedgerCall {
  method: 'GET' | 'POST' | 'PUT'
  /** With its query. */
  path: string
  /** Sent as JSON. */
  body?: object
  /** How long the server may hold its answer, in addition to the usual time. */
  waitSeconds?: number
}

/** Browsers obey `cache`, which Node's types do not have. */
const EVERY_REQUEST = { redirect: 'error', credentials: 'omit', cache: 'no-store' } as const
/** No pause of an answer is as long as this, apart from `waitSeconds`. */
const IDLE_SECONDS = 30
/** A page has at most 16 MiB, or one event. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024
const MOST_RETRY_AFTER_SECONDS = 3_600

/**
 * One request. Redirects are refused, because they would pass the token on; cookies are neither sent nor kept.
 *
 * @param address as `readAddress` returns it
 * @returns the JSON of the answer
 * @throws LedgerError; the signal's reason once it is aborted
 */
export async function send(address: LedgerAddress, call: LedgerCall, signal: AbortSignal): Promise<unknown> {
  const { url: base, token, fetch: fetchIt = fetch } = address
  const ending = new AbortController()
  const end = () => ending.abort()
  let isSilent = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const allow = (seconds: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isSilent = true
      end()
    }, seconds * 1000)
  }
  signal.throwIfAborted()
  signal.addEventListener('abort', end)
  try {
    allow(IDLE_SECONDS + (call.waitSeconds ?? 0))
    const response = await fetchIt(base + call.path, {
      method: call.method,
      headers: {
        accept: 'application/json, application/problem+json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...EVERY_REQUEST,
      signal: ending.signal,
    })
    const text = await readText(response, () => allow(IDLE_SECONDS))
    if (!response.ok) throw toError(response, text, base)
    return toJson(text, base)
  } catch (error) {
    if (error instanceof LedgerError) throw error
    if (signal.aborted) throw signal.reason
    if (isSilent) throw new LedgerError('server_timeout', `${base} did not answer in time.`)
    throw new LedgerError('server_unreachable', `No server answers at ${base} (${reasonOf(error)}).`, { cause: error })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

async function readText({ body }: Response, onBytes: () => void): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return parts.join('') + decoder.decode()
    onBytes()
    bytes += value.length
    if (bytes > MOST_ANSWER_BYTES) {
      await reader.cancel()
      throw new LedgerError('answer_too_large', `The answer is larger than ${MOST_ANSWER_BYTES} bytes.`, {
        status: 413,
      })
    }
    parts.push(decoder.decode(value, { stream: true }))
  }
}

/** The error of a problem (RFC 9457), or of a proxy's answer. Any other answer is not from a ledger. */
function toError({ status, headers }: Response, text: string, base: string): LedgerError {
  const isProblem = /^application\/problem\+json\b/i.test(headers.get('content-type') ?? '')
  if (!isProblem && status !== 413 && status !== 429 && status < 502) {
    const message = `${base} answered with status ${status}, but not as a ledger does. Check the address.`
    return new LedgerError('not_a_ledger', message)
  }
  const problem = readObject(text)
  const [code, detail, nextSince] = ['code', 'detail', 'next_since'].map(name =>
    typeof problem[name] === 'string' ? String(problem[name]) : undefined,
  )
  const asked = Number(headers.get('retry-after') ?? 'none')
  const retryAfterSeconds = asked >= 0 ? Math.min(asked, MOST_RETRY_AFTER_SECONDS) : undefined
  const message = detail ?? `The server answered with status ${status}.`
  return new LedgerError(code ?? `http_${status}`, message, { status, retryAfterSeconds, nextSince })
}

function readObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    // A proxy's page; the status is enough.
    return {}
  }
}

function toJson(text: string, base: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new LedgerError('not_a_ledger', `The answer of ${base} is not JSON. Check the address.`, { cause })
  }
}

/** Node hides the reason in `cause`; browsers give none. */
function reasonOf(error: unknown): string {
  const { code, message } = Object(Object(error).cause ?? error)
  return String(code ?? message ?? error)
}
