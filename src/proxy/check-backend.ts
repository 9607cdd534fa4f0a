import { exchange } from '../http/exchange.js'
import { HttpFailure } from '../http/http-failure.js'
import type { BackendCheck, BackendProblem } from '../model/board/backend-check.js'
import type { Backend, BackendState } from './backends.js'

const IDLE_SECONDS = 10
const TOTAL_SECONDS = 20
const MAX_ANSWER_BYTES = 64 * 1024
const LONGEST_VERSION = 40

/** Asks another board directly, without our own server, whether it admits us, and for its version. */
export async function checkBackend(state: BackendState): Promise<BackendCheck> {
  const check: BackendCheck = {
    name: state.name,
    url: state.url ?? null,
    reachable: false,
    admitted: null,
    version: null,
    problem: null,
  }
  if ('problem' in state) return { ...check, problem: problem('backends_invalid', state.problem) }
  try {
    return { ...check, ...(await ask(state.backend)) }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return { ...check, problem: problem('server_unreachable', `The board does not answer: ${error.reason}.`) }
  }
}

async function ask(backend: Backend): Promise<Partial<BackendCheck>> {
  const auth = await get(backend, '/api/auth')
  const isBoard = auth.status === 200 && FLAGS.every(flag => typeof auth.body[flag] === 'boolean')
  if (!isBoard)
    return { problem: problem('not_a_board', `The server at this address is not a board (status ${auth.status}).`) }
  // Only a route that requires the key shows whether the key is correct.
  const health = await get(backend, '/api/health')
  if (health.status === 401 || health.status === 403) {
    const detail =
      backend.key === undefined ? 'The board requires a key, and the profile has none.' : 'The board refuses the key.'
    return { reachable: true, admitted: false, problem: problem('backend_refuses', detail) }
  }
  if (health.status !== 200) {
    const detail = `The board reports a failure (status ${health.status}).`
    return { reachable: true, admitted: true, problem: problem('server_unreachable', detail) }
  }
  const { version } = health.body
  return {
    reachable: true,
    admitted: true,
    version: typeof version === 'string' ? version.slice(0, LONGEST_VERSION) : null,
  }
}

/** Members that the answer of every board has. Source: Board Access Gate, "Auth status". */
const FLAGS = ['enabled', 'authenticated', 'username_required', 'api_token_enabled']

async function get(
  { profile, key }: Backend,
  path: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, body } = await exchange(
    { baseUrl: profile.url },
    {
      method: 'GET',
      path,
      headers: { accept: 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      idleSeconds: IDLE_SECONDS,
      totalSeconds: TOTAL_SECONDS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    },
  )
  return { status, body: toObject(body.toString()) }
}

/** Empty if the text is not a JSON object. */
function toObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function problem(code: BackendProblem['code'], detail: string): BackendProblem {
  return { code, detail }
}
