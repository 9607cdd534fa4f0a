import { isDeepStrictEqual } from 'node:util'
import type { Card } from '../../../model/board/card.js'
import { actionsBetween, type CardActor } from '../../../model/board/card-history.js'
import type { CardChanges, CardFilter, CardPage } from '../../card-store.js'
import { boardFull, rankBetween, rankOf, refuseOutdated, toCard } from '../../rows/stored-card.js'
import type { Database } from '../files/database.js'
import { addToHistory } from './card-history.js'

/**
 * `seq` numbers the cards in the order of their creation, and is never reused. The body is last, so that filters need
 * not read it.
 */
const CREATE_TABLE = /* sql */ `
  CREATE TABLE cards (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    board_column TEXT NOT NULL,
    rank REAL NOT NULL,
    version INTEGER NOT NULL,
    assignee TEXT,
    labels TEXT NOT NULL,
    links TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX cards_by_rank ON cards (board_column, rank);
  CREATE INDEX cards_by_column ON cards (board_column, seq);
  CREATE INDEX cards_by_assignee ON cards (assignee, seq)`

const CARD = 'seq, id, board_column, rank, version, assignee, labels, links, created_at, updated_at, title, body'
const FIND = /* sql */ `SELECT ${CARD} FROM cards WHERE id = ?`
const COUNT = /* sql */ `SELECT count(*) AS count FROM cards`
const COUNT_BY_COLUMN = /* sql */ `SELECT board_column, count(*) AS cards FROM cards GROUP BY board_column`
const CREATE = /* sql */ `
  INSERT INTO cards (id, board_column, rank, version, assignee, labels, links, created_at, updated_at, title, body)
  VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)`
const UPDATE = /* sql */ `
  UPDATE cards SET board_column = ?2, version = ?3, assignee = ?4, labels = ?5, links = ?6, updated_at = ?7,
    title = ?8, body = ?9
  WHERE id = ?1`
const SET_RANK = /* sql */ `UPDATE cards SET rank = ?2 WHERE id = ?1`
const DELETE = /* sql */ `DELETE FROM cards WHERE id = ?`
const LAST_RANK = /* sql */ `SELECT max(rank) AS rank FROM cards WHERE board_column = ?1 AND id <> ?2`
const NEIGHBOURS = /* sql */ `
  SELECT rank FROM cards WHERE board_column = ?1 AND id <> ?2 ORDER BY rank LIMIT 2 OFFSET ?3`
const IDS = /* sql */ `SELECT id FROM cards WHERE board_column = ?1 AND id <> ?2 ORDER BY rank`

/** The SQL condition of each filter. The table is small enough to read every card for some of them. */
const CONDITIONS: Record<keyof CardFilter, string> = {
  column: 'board_column = ?',
  assignee: 'assignee = ?',
  label: 'EXISTS (SELECT 1 FROM json_each(labels) WHERE value = ?)',
  link: 'EXISTS (SELECT 1 FROM json_each(links) WHERE value = ?)',
}

/** A number that SQLite accepts as an offset, larger than the number of cards in any column. */
const BEYOND_EVERY_END = 1_000_000_000

/** For the migration that creates it. */
export function createCardTable(database: Database): void {
  database.exec(CREATE_TABLE)
}

/** Cards in the board's database. */
export class SqliteCardStore {
  constructor(private readonly database: Database) {}

  list(filter: CardFilter, { limit, after }: { limit: number; after: number }): CardPage {
    const names = (Object.keys(CONDITIONS) as (keyof CardFilter)[]).filter(name => filter[name] !== undefined)
    const conditions = ['seq > ?', ...names.map(name => CONDITIONS[name])].join(' AND ')
    const sql = /* sql */ `SELECT ${CARD} FROM cards WHERE ${conditions} ORDER BY seq LIMIT ?`
    const rows = this.database.all(sql, after, ...names.map(name => filter[name] ?? ''), limit + 1)
    const page = rows.slice(0, limit)
    return { items: page.map(toCard), next: rows.length > limit ? Number(page.at(-1)?.seq) : null }
  }

  find(id: string): Card | undefined {
    const row = this.database.first(FIND, id)
    return row && toCard(row)
  }

  countByColumn(): [column: string, cards: number][] {
    return this.database.all(COUNT_BY_COLUMN).map(row => [String(row.board_column), Number(row.cards)])
  }

  count(): number {
    return Number(this.database.first(COUNT)?.count)
  }

  create(
    card: Omit<Card, 'rank' | 'version'>,
    { position, max, by }: { position?: number; max: number; by: CardActor },
  ): Card {
    return this.database.transaction(() => {
      if (this.count() >= max) throw boardFull(max)
      const rank = this.#makeRoom(card, position)
      this.database.run(
        CREATE,
        ...[card.id, card.column, rank, card.assignee, JSON.stringify(card.labels), JSON.stringify(card.links)],
        ...[card.created_at, card.updated_at, card.title, card.body],
      )
      addToHistory(this.database, card.id, { by, at: card.created_at }, [{ action: 'created', to: card.column }])
      return { ...card, rank, version: 1 }
    })
  }

  update(
    id: string,
    { position, ...changes }: CardChanges,
    { version, updatedAt, by }: { version?: number; updatedAt: string; by: CardActor },
  ): Card | undefined {
    return this.database.transaction(() => {
      const before = this.find(id)
      if (!before) return undefined
      refuseOutdated(before, version)
      const after = { ...before, ...changes }
      if (!isDeepStrictEqual(after, before)) {
        after.version += 1
        after.updated_at = updatedAt
        this.database.run(
          UPDATE,
          ...[id, after.column, after.version, after.assignee, JSON.stringify(after.labels)],
          ...[JSON.stringify(after.links), after.updated_at, after.title, after.body],
        )
        addToHistory(this.database, id, { by, at: updatedAt }, actionsBetween(before, after))
      }
      if (after.column !== before.column || (position !== undefined && !this.#isAt(after, position))) {
        after.rank = this.#makeRoom(after, position)
        this.database.run(SET_RANK, id, after.rank)
      }
      return after
    })
  }

  delete(id: string, { version, deletedAt, by }: { version?: number; deletedAt: string; by: CardActor }): boolean {
    return this.database.transaction(() => {
      const card = this.find(id)
      if (!card) return false
      refuseOutdated(card, version)
      addToHistory(this.database, id, { by, at: deletedAt }, [{ action: 'deleted' }])
      return this.database.run(DELETE, id) > 0
    })
  }

  /** Whether the card is already at that place of its column. */
  #isAt({ id, column, rank }: Card, position: number): boolean {
    const [before, after] = this.#neighbours({ id, column }, position)
    return (before === undefined || before < rank) && (after === undefined || rank < after)
  }

  /**
   * A rank for a place in a column, by default at its end. If no number is left there, the whole column is renumbered.
   */
  #makeRoom(card: Pick<Card, 'id' | 'column'>, position: number | undefined): number {
    const [before, after] = position === undefined ? [this.#lastRank(card)] : this.#neighbours(card, position)
    return rankBetween(before, after) ?? this.#renumber(card, position ?? 0)
  }

  /** Ranks of the cards before and after a place in a column, without the card itself. */
  #neighbours({ id, column }: Pick<Card, 'id' | 'column'>, position: number): [number | undefined, number | undefined] {
    const place = Math.min(position, BEYOND_EVERY_END)
    if (place === 0) return [undefined, rankOf(this.database.first(NEIGHBOURS, column, id, 0))]
    const [before, after] = this.database.all(NEIGHBOURS, column, id, place - 1)
    return before ? [rankOf(before), rankOf(after)] : [this.#lastRank({ id, column }), undefined]
  }

  #lastRank({ id, column }: Pick<Card, 'id' | 'column'>): number | undefined {
    return rankOf(this.database.first(LAST_RANK, column, id))
  }

  /** Ranks 1, 2, 3 …, with one left out at `position`. @returns the one that is left out */
  #renumber({ id, column }: Pick<Card, 'id' | 'column'>, position: number): number {
    const others = this.database.all(IDS, column, id).map(row => String(row.id))
    for (const [index, other] of others.entries()) {
      this.database.run(SET_RANK, other, index < position ? index + 1 : index + 2)
    }
    return position + 1
  }
}
