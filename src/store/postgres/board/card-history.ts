import { type CardAction, type CardHistoryEntry, HISTORY_LIMITS } from '../../../model/board/card-history.js'
import type { CardHistoryStore } from '../../card-history-store.js'
import { toHistoryEntry } from '../../rows/stored-card.js'
import { allSettled, type Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'

const ADD = /* sql */ `
  INSERT INTO card_history (card_id, at, actor, actor_name, action, body)
  SELECT $1::text, $2, $3, $4, $5, $6 WHERE EXISTS (SELECT 1 FROM cards WHERE id = $1)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM card_history WHERE card_id = $1 AND seq <= (
    SELECT seq FROM card_history WHERE card_id = $1 ORDER BY seq DESC LIMIT 1 OFFSET ${HISTORY_LIMITS.entries})`
const DROP_DELETED = /* sql */ `
  DELETE FROM card_history WHERE card_id IN (
    SELECT card_id FROM card_history WHERE action = 'deleted' ORDER BY seq DESC OFFSET ${HISTORY_LIMITS.deletedCards})`
const LIST = /* sql */ `
  SELECT seq, at, actor, actor_name, action, body FROM card_history
  WHERE card_id = $1 AND ($2::bigint IS NULL OR seq < $2) ORDER BY seq DESC LIMIT $3`

/**
 * Adds to the history of a card, in the current transaction, which holds the board. A card that does not exist gets no
 * entry: its run may end after it was deleted.
 */
export async function addToHistory(
  connection: Connection,
  id: string,
  { by, at }: Pick<CardHistoryEntry, 'by' | 'at'>,
  actions: readonly CardAction[],
): Promise<void> {
  if (actions.length === 0) return
  const added = actions.map(({ action, ...body }) =>
    connection.run(ADD, id, at, by.kind, by.name, action, JSON.stringify(body)),
  )
  const isDeleted = actions.some(({ action }) => action === 'deleted')
  const bounded = [connection.run(DROP_OLDEST, id), ...(isDeleted ? [connection.run(DROP_DELETED)] : [])]
  await allSettled(...added, ...bounded)
}

/** The history of cards in the board's database. */
export function cardHistory(pool: Pool): CardHistoryStore {
  return {
    list: async (card, { limit, after }) => {
      const rows = isStorable(card) ? await pool.run(LIST, card, after, limit + 1) : []
      const page = rows.slice(0, limit)
      return { items: page.map(toHistoryEntry), next: rows.length > limit ? Number(page.at(-1)?.seq) : null }
    },
  }
}
