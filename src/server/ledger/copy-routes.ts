import Type from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { LedgerState } from '../../ledger/transfer/ledger-state.js'
import { toPageLine } from '../../ledger/transfer/page-line.js'
import { COPY_LIMITS } from '../../model/ledger-copy.js'
import type { CopyPage, CopyRange } from '../../store/copy-store.js'
import { type AnswerBudget, PIECE_BYTES } from '../answer/answer-budget.js'
import { compressed } from '../answer/compressed.js'
import { json } from '../answer/reply.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import { QueryString } from '../request/query-string.js'

export interface ServedCopies {
  /** @throws AppError `unavailable/copies_unsupported` */
  readPage: (range: CopyRange) => Promise<CopyPage>
  readState: () => Promise<LedgerState>
}

const CHANGE_NUMBERS = { min: 0, max: 999_999_999 }

/** `POST /api/copy`: a part of the ledger, for an export. Digests of erased content could confirm a guess of it. */
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

/** `POST /api/copy/state`: for a command on this machine, which may read the file anyway. */
export function ledgerState({ copies }: { copies: ServedCopies }): Endpoint<Identity> {
  return documented(STATE_DOC, async () => json(200, await copies.readState()))
}

const PAGE_DOC: RouteDoc = {
  summary: 'Events and their later changes; for commands on this machine, over the socket of the process that owns it',
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
  summary:
    'Subscriptions, users and digests of tokens; for commands on this machine, over the socket of the process that owns it',
  answers: { 200: { description: 'What the ledger has apart from its events', schema: Type.Unknown() } },
}
