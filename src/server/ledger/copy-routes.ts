import { hash } from 'node:crypto'
import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import { toPageLine } from '../../ledger/transfer/page-line.js'
import { COPY_LIMITS } from '../../model/ledger-copy.js'
import type { CopyPage, CopyRange, LedgerState } from '../../store/copy-store.js'
import { type AnswerBudget, PIECE_BYTES } from '../answer/answer-budget.js'
import { compressed } from '../answer/compressed.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import { QueryString } from '../request/query-string.js'

export interface ServedCopies {
  readPage: (range: CopyRange) => Promise<CopyPage>
  readState: () => Promise<LedgerState>
}

const CHANGE_NUMBERS = { min: 0, max: 999_999_999 }

const DIGEST = /^[0-9a-f]{64}$/u

/**
 * `POST /api/copy`: a part of the ledger, for an export or a follower. Digests could confirm a guess of erased content.
 */
export function copyPage({ copies, budget }: { copies: ServedCopies; budget: AnswerBudget }): Endpoint<Identity> {
  return documented(PAGE_DOC, async (req, res) => {
    const params = new QueryString(req.search, ['since', 'changes', 'limit'])
    const since = params.timestamp('since')?.micros ?? null
    const changes = params.integer('changes', CHANGE_NUMBERS) ?? null
    const limit = params.integer('limit', { min: 1, max: COPY_LIMITS.events }) ?? COPY_LIMITS.events
    params.finish()
    const room = budget.roomFor(res)
    req.room = room
    await room.reserve(PIECE_BYTES)
    let page = await copies.readPage({ since, changes, limit, maxBytes: PIECE_BYTES })
    // A repeat may make an event larger while it waits for room.
    while (page.neededBytes !== undefined) {
      await room.reserve(page.neededBytes)
      page = await copies.readPage({ since, changes, limit: 1, maxBytes: page.neededBytes })
    }
    room.hold(page.lines.byteLength)
    budget.freeWith(res, page.lines)
    return compressed(req, { status: 200, type: 'application/x-ndjson', body: [page.lines, toPageLine(page)] })
  })
}

/** `POST /api/copy/state`: the state that an export and a follower need in addition to the events. */
export function ledgerState({ copies, budget }: { copies: ServedCopies; budget: AnswerBudget }): Endpoint<Identity> {
  return documented(STATE_DOC, async (req, res) => {
    const params = new QueryString(req.search, ['unless'])
    const unless = params.raw('unless')
    if (unless !== undefined && !DIGEST.test(unless))
      params.refuse('unless', 'unless is not a SHA-256 in lowercase hex.')
    params.finish()
    // An export, or a follower that begins. The log shows who copied the accounts.
    if (unless === undefined) req.isNotable = true
    const state = Buffer.from(JSON.stringify(await copies.readState()))
    if (unless === hash('sha256', state)) return { status: 204, body: '' }
    const room = budget.roomFor(res)
    req.room = room
    await room.reserve(state.length)
    return { status: 200, body: state }
  })
}

const PAGE_DOC: RouteDoc = {
  summary: 'Events and their later changes, as stored; for exports and followers, not for browser sessions',
  description: 'For copies between ledgers: JSON lines in the order of the ledger.',
  query: [
    {
      name: 'since',
      description: 'Only events captured after it; absent: from the first one.',
      schema: Type.String({ format: 'date-time' }),
    },
    {
      name: 'changes',
      description: 'Also events that changed after the change of this number. Absent: none, only the newest number.',
      schema: Type.Integer({ minimum: CHANGE_NUMBERS.min, maximum: CHANGE_NUMBERS.max }),
    },
    {
      name: 'limit',
      description: 'Of events, and of changes.',
      schema: Type.Integer({ minimum: 1, maximum: COPY_LIMITS.events, default: COPY_LIMITS.events }),
    },
  ],
  answers: {
    200: {
      description: 'One event a line, then `{"changed":…}` for each that changed, then `{"page":…}`',
      type: 'application/x-ndjson',
    },
  },
}

const STATE_DOC: RouteDoc = {
  summary: 'Subscriptions, consumers, users with password digests, and digests of tokens; not for browser sessions',
  description: 'For copies between ledgers: what is not an event.',
  query: [
    {
      name: 'unless',
      description: 'SHA-256 of an earlier answer, in hex.',
      schema: Type.String({ pattern: DIGEST.source }),
    },
  ],
  answers: {
    200: { description: 'What the ledger has apart from its events', schema: Type.Unknown() },
    204: { description: 'The answer would be the same as the earlier one' },
  },
}
