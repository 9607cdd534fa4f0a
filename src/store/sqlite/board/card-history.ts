import { type CardAction, type CardHistoryEntry, HISTORY_LIMITS } from '../../../model/board/card-history.js'
import { toHistoryEntry } from '../../rows/stored-card.js'
import type { Database } from '../files/database.js'

/** `body`: what `CardAction` has. */
const CREATE_TABLE = /* sql */ `
  CREATE TABLE card_history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id TEXT NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_name TEXT,
    action TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX card_history_by_card ON card_history (card_id, seq);
  CREATE INDEX card_history_deleted ON card_history (seq) WHERE action = 'deleted'`

const ADD = /* sql */ `
  INSERT INTO card_history (card_id, at, actor, actor_name, action, body)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM cards WHERE id = ?1)`
const DROP_OLDEST = /* sql */ `
  DELETE FROM card_history WHERE card_id = ?1 AND seq <= (
    SELECT seq FROM card_history WHERE card_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${HISTORY_LIMITS.entries})`
const DROP_DELETED = /* sql */ `
  DELETE FROM card_history WHERE card_id IN (
    SELECT card_id FROM card_history WHERE action = 'deleted'
    ORDER BY seq DESC LIMIT -1 OFFSET ${HISTORY_LIMITS.deletedCards})`
const LIST = /* sql */ `
  SELECT seq, at, actor, actor_name, action, body FROM card_history
  WHERE card_id = ?1 AND (?2 IS NULL OR seq < ?2) ORDER BY seq DESC LIMIT ?3`

/** For the migration that creates it. */
export function createHistoryTable(database: Database): void {
  database.exec(CREATE_TABLE)
}

/**
 * Adds to the history of a card, in the current transaction. A card that does not exist gets no entry: its run may end
 * after it was deleted.
 */
export function addToHistory(
  database: Database,
  id: string,
  { by, at }: Pick<CardHistoryEntry, 'by' | 'at'>,
  actions: readonly CardAction[],
): void {
  for (const { action, ...body } of actions) {
    database.run(ADD, id, at, by.kind, by.name, action, JSON.stringify(body))
    if (action === 'deleted') database.run(DROP_DELETED)
  }
  if (actions.length > 0) database.run(DROP_OLDEST, id)
}

/** The history of cards in the board's database. */
export class SqliteCardHistory {
  constructor(private readonly database: Database) {}

  list(
    card: string,
    { limit, after }: { limit: number; after: number | null },
  ): { items: CardHistoryEntry[]; next: number | null } {
    const rows = this.database.all(LIST, card, after, limit + 1)
    const page = rows.slice(0, limit)
    return { items: page.map(toHistoryEntry), next: rows.length > limit ? Number(page.at(-1)?.seq) : null }
  }
}
