import { computed, type ReadonlySignal, signal } from '@preact/signals'
import {
  type ApiCall,
  ApiProblem,
  api,
  createResource,
  leaveForLogin,
  rememberCsrfToken,
  showCredentials,
} from '../shared/server/api.js'

/** Source: Board Access Gate, "Endpoints", `GET /api/session`. */
interface BoardSession {
  csrf_token: string | null
  /** The username, if it is a session of the ledger. */
  ledger_user?: string
}

/** Source: Board Access Gate, "Endpoints", `GET /api/auth`. */
interface AuthStatus {
  enabled: boolean
  authenticated: boolean
  api_token_enabled: boolean
}

/** How users get access: without a login, with the cookie of a login (password or ledger), or with a typed API key. */
export type AccessMode = 'open' | 'password' | 'ledger' | 'key'

const auth = createResource(async signal => {
  const status = await askWhoIsIn({ signal })
  if (!status.authenticated) return status
  const { csrf_token, ledger_user } = await api<BoardSession>('/api/session', { signal })
  rememberCsrfToken(csrf_token)
  return { ...status, ledger_user }
})
/** Username, in a session of the ledger. */
export const ledgerUser = computed(() => {
  const { value } = auth.value
  return value && 'ledger_user' in value ? value.ledger_user : undefined
})
/** Undefined until the server has responded. */
export const accessMode = computed<AccessMode | undefined>(() => {
  const { value } = auth.value
  if (!value) return undefined
  if (ledgerUser.value !== undefined) return 'ledger'
  return value.enabled ? 'password' : value.api_token_enabled ? 'key' : 'open'
})
/** Kept only in this page's memory: not in storage, addresses or the document. */
let key: string | undefined
const hasKey = signal(false)

/** The reason why access is unknown, and a function to ask again. */
export const access = { problem: auth.problem, load: loadAccess }
export const holdsKey: ReadonlySignal<boolean> = hasKey
/** Whether calls can be made. */
export const isIn: ReadonlySignal<boolean> = computed(
  () => accessMode.value !== undefined && (accessMode.value !== 'key' || hasKey.value),
)

/** A secret whose characters are all valid in a header. */
export const HEADER_SECRET = /^[\x21-\x7e]{1,1024}$/
const KEY_HEADER = 'X-Board-Token'
const THROUGH_BACKEND = '/api/backends/'

showCredentials({
  headers: () => (key === undefined ? {} : { [KEY_HEADER]: key }),
  refused: async (problem, path) => {
    if (path.startsWith(THROUGH_BACKEND) && (await isStillIn())) throw refusedByBackend(problem)
    if (accessMode.peek() !== 'key') return leaveForLogin(() => location.reload())
    forgetKey()
    throw problem
  },
})

export async function loadAccess(): Promise<void> {
  await auth.load()
  // Requests by key need no CSRF token, so it is not fetched.
  if (accessMode.peek() === 'key') rememberCsrfToken(null)
}

/** @returns whether the key is right @throws ApiProblem if there is no response */
export async function enterKey(text: string): Promise<boolean> {
  const word = text.trim()
  if (!HEADER_SECRET.test(word)) return false
  const { authenticated } = await askWhoIsIn({ headers: { [KEY_HEADER]: word } })
  if (!authenticated) return false
  key = word
  hasKey.value = true
  return true
}

export function forgetKey(): void {
  key = undefined
  hasKey.value = false
}

function askWhoIsIn(call: ApiCall = {}): Promise<AuthStatus> {
  return api<AuthStatus>('/api/auth', call)
}

/** Asks our own server, because the refusal may come from another board that refused our server's key. */
async function isStillIn(): Promise<boolean> {
  const { enabled, api_token_enabled, authenticated } = await askWhoIsIn()
  return authenticated || (accessMode.peek() !== 'ledger' && !(enabled || api_token_enabled))
}

function refusedByBackend({ status, requestId }: ApiProblem): ApiProblem {
  const detail = 'That board refused the key in its profile. An operator of this board can replace it.'
  return new ApiProblem(status, { code: 'backend_refused_key', detail, request_id: requestId })
}
