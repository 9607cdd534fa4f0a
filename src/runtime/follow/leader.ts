import { hash } from 'node:crypto'
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { LedgerClient } from '../../client/ledger-client.js'
import { AppError } from '../../model/app-error.js'
import type { FollowStatus } from '../../model/follow.js'
import type { CopyPageLine } from '../../model/ledger-copy.js'
import type { FollowSettings } from '../../settings/follow-settings.js'
import type { CopiedEvent, LedgerState } from '../../store/copy-store.js'
import { invalidLine, parseLine } from '../transfer/copied-event.js'
import { readCopyLine } from '../transfer/copy-lines.js'

/** A page of the leader. */
export interface LeaderPage {
  appended: CopiedEvent[]
  changed: CopiedEvent[]
  line: CopyPageLine
}

/** The state of the leader without its events. */
export interface LeaderState {
  state: LedgerState
  /** SHA-256 of the answer. */
  digest: string
}

const LINE_FEED = 10
const LISTS = ['subscriptions', 'users', 'tokens', 'consumers', 'dead_letters'] as const
const HEALTH_SECONDS = 5

/** The ledger that another one follows. Every method may throw what `LedgerClient` throws. */
export class Leader {
  readonly #client: LedgerClient
  readonly #agent: Agent

  constructor({ leader, credential }: FollowSettings) {
    this.#agent = leader.startsWith('https:') ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
    this.#client = new LedgerClient({ apiUrl: leader }, { credential, agent: this.#agent })
  }

  /** Closes the connections. The next request opens new ones. */
  close(): void {
    this.#agent.destroy()
  }

  /** @throws AppError `invalid/invalid_line` */
  async page(range: { since?: string; changes?: number; limit?: number }, signal: AbortSignal): Promise<LeaderPage> {
    const { since, changes, limit } = range
    const asked = {
      ...(since === undefined ? {} : { since }),
      ...(changes === undefined ? {} : { changes: String(changes) }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
    }
    return readPage(await this.#client.copy(asked, { signal }))
  }

  /** @param unless known digest @returns undefined if it is still the same @throws AppError `invalid/invalid_line` */
  async state(unless: string | undefined, signal: AbortSignal): Promise<LeaderState | undefined> {
    const answer = await this.#client.copyState(unless, { signal })
    if (answer.status === 204) return undefined
    return { state: readState(parseLine(answer.bytes)), digest: hash('sha256', answer.bytes) }
  }
}

/**
 * Refuses while a ledger answers at the address, unless that ledger is a follower itself: the address may lead to this
 * ledger by now.
 *
 * @throws AppError `conflict/leader_answers`
 */
export async function refuseWhileAnswering(leader: string): Promise<void> {
  try {
    const answer = await new LedgerClient({ apiUrl: leader }, { idleSeconds: HEALTH_SECONDS }).health()
    if ((answer.json() as { follows?: FollowStatus }).follows) return
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.category === 'unavailable') return
    // Any other refusal comes from a server, so something answers.
  }
  throw new AppError('conflict', 'leader_answers', `The leader ${leader} still answers.`, {
    hint: 'Stop it first: otherwise both record events that the other one does not have. --force promotes all the same.',
  })
}

/** @throws AppError `invalid/invalid_line` */
export function readPage(bytes: Buffer): LeaderPage {
  const [appended, changed]: [CopiedEvent[], CopiedEvent[]] = [[], []]
  let page: CopyPageLine | undefined
  for (let from = 0, feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, from)) {
    const line = readCopyLine(bytes.subarray(from, feed))
    if (line.kind === 'event') appended.push(line.event)
    else if (line.kind === 'changed') changed.push(line.event)
    else if (line.kind === 'page') page = line.value
    from = feed + 1
  }
  const { numbering, events_left } = page ?? {}
  if (!page || typeof numbering !== 'string' || typeof events_left !== 'number')
    throw invalidLine('The page of the leader is incomplete: it may run another release.')
  return { appended, changed, line: page }
}

/** Reads the members of this release: leader and follower are upgraded together. */
function readState(state: object): LedgerState {
  const missing = LISTS.filter(name => !Array.isArray(Reflect.get(state, name)))
  if (missing.length > 0) throw invalidLine(`The leader sends no ${missing.join(', ')}: it may run another release.`)
  return state as LedgerState
}
