import { isDeepStrictEqual } from 'node:util'
import type { Card } from '../../../model/board/card.js'
import { actionsBetween } from '../../../model/board/card-history.js'
import type { CardFilter, CardStore } from '../../card-store.js'
import { boardFull, rankBetween, rankOf, refuseOutdated, toCard } from '../../rows/stored-card.js'
import { allSettled, type Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'
import { lockBoard } from './board-lock.js'
import { addToHistory } from './card-history.js'

const CARD = 'seq, id, board_column, rank, version, assignee, labels, links, created_at, updated_at, title, body'
const FIND = /* sql */ `SELECT ${CARD} FROM cards WHERE id = $1`
const COUNT = /* sql */ `SELECT count(*) AS count FROM cards`
const COUNT_BY_COLUMN = /* sql */ `SELECT board_column, count(*) AS cards FROM cards GROUP BY board_column`
const CREATE = /* sql */ `
  INSERT INTO cards (id, board_column, rank, version, assignee, labels, links, created_at, updated_at, title, body)
  VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10)`
const UPDATE = /* sql */ `
  UPDATE cards SET board_column = $2, version = $3, assignee = $4, labels = $5, links = $6, updated_at = $7,
    title = $8, body = $9
  WHERE id = $1`
const SET_RANK = /* sql */ `UPDATE cards SET rank = $2 WHERE id = $1`
const DELETE = /* sql */ `DELETE FROM cards WHERE id = $1`
const LAST_RANK = /* sql */ `SELECT max(rank) AS rank FROM cards WHERE board_column = $1 AND id <> $2`
const NEIGHBOURS = /* sql */ `
  SELECT rank FROM cards WHERE board_column = $1 AND id <> $2 ORDER BY rank LIMIT 2 OFFSET $3`
/** Ranks 1, 2, 3 …, with one left out. */
const RENUMBER = /* sql */ `
  UPDATE cards SET rank = CASE WHEN place <= $3::bigint THEN place ELSE place + 1 END FROM (
    SELECT id AS other, row_number() OVER (ORDER BY rank) AS place FROM cards WHERE board_column = $1 AND id <> $2
  ) AS others
  WHERE id = other`

/** The SQL condition of each filter. The table is small enough to read every card for some of them. */
const CONDITIONS: Record<keyof CardFilter, (value: string) => string> = {
  column: value => `board_column = ${value}`,
  assignee: value => `assignee = ${value}`,
  label: value => `labels::jsonb @> jsonb_build_array(${value}::text)`,
  link: value => `links::jsonb @> jsonb_build_array(${value}::text)`,
}

/** More cards than any column has. */
const BEYOND_EVERY_END = 1_000_000_000

/** Cards in the board's database. */
export function cardStore(pool: Pool): CardStore {
  const count = async (connection: Pick<Connection, 'run'>) => Number((await connection.run(COUNT))[0]?.count)
  /** @param work receives the card after all other changes have ended */
  const change = <Result>(id: string, work: (connection: Connection, before: Card | undefined) => Promise<Result>) =>
    pool.transaction(async connection => {
      const [, before] = await allSettled(lockBoard(connection), findCard(connection, id))
      return work(connection, before)
    })
  return {
    list: async (filter, { limit, after }) => {
      const names = (Object.keys(CONDITIONS) as (keyof CardFilter)[]).filter(name => filter[name] !== undefined)
      const values = names.map(name => filter[name] ?? '')
      if (!values.every(isStorable)) return { items: [], next: null }
      const conditions = ['seq > $1', ...names.map((name, at) => CONDITIONS[name](`$${at + 3}`))].join(' AND ')
      const sql = /* sql */ `SELECT ${CARD} FROM cards WHERE ${conditions} ORDER BY seq LIMIT $2`
      const rows = await pool.run(sql, after, limit + 1, ...values)
      const page = rows.slice(0, limit)
      return { items: page.map(toCard), next: rows.length > limit ? Number(page.at(-1)?.seq) : null }
    },
    find: async id => findCard(pool, id),
    count: () => count(pool),
    countByColumn: async () =>
      (await pool.run(COUNT_BY_COLUMN)).map(row => [String(row.board_column), Number(row.cards)]),
    create: (card, { position, max, by }) =>
      change(card.id, async connection => {
        if ((await count(connection)) >= max) throw boardFull(max)
        const rank = await makeRoom(connection, card, position)
        const lists = [JSON.stringify(card.labels), JSON.stringify(card.links)] as const
        const values = [card.id, card.column, rank, card.assignee, ...lists, card.created_at, card.updated_at]
        await allSettled(
          connection.run(CREATE, ...values, card.title, card.body),
          addToHistory(connection, card.id, { by, at: card.created_at }, [{ action: 'created', to: card.column }]),
        )
        return { ...card, rank, version: 1 }
      }),
    update: (id, { position, ...changes }, { version, updatedAt, by }) =>
      change(id, async (connection, before) => {
        if (!before) return undefined
        refuseOutdated(before, version)
        const after = { ...before, ...changes }
        if (!isDeepStrictEqual(after, before)) {
          after.version += 1
          after.updated_at = updatedAt
          await allSettled(
            connection.run(
              UPDATE,
              ...[id, after.column, after.version, after.assignee, JSON.stringify(after.labels)],
              ...[JSON.stringify(after.links), after.updated_at, after.title, after.body],
            ),
            addToHistory(connection, id, { by, at: updatedAt }, actionsBetween(before, after)),
          )
        }
        if (after.column !== before.column || (position !== undefined && !(await isAt(connection, after, position)))) {
          after.rank = await makeRoom(connection, after, position)
          await connection.run(SET_RANK, id, after.rank)
        }
        return after
      }),
    delete: (id, { version, deletedAt, by }) =>
      change(id, async (connection, card) => {
        if (!card) return false
        refuseOutdated(card, version)
        const doing = { by, at: deletedAt }
        await allSettled(addToHistory(connection, id, doing, [{ action: 'deleted' }]), connection.run(DELETE, id))
        return true
      }),
  }
}

async function findCard(connection: Pick<Connection, 'run'>, id: string): Promise<Card | undefined> {
  const [row] = isStorable(id) ? await connection.run(FIND, id) : []
  return row && toCard(row)
}

/** Whether the card is already at that place of its column. */
async function isAt(connection: Connection, { id, column, rank }: Card, position: number): Promise<boolean> {
  const [before, after] = await neighbours(connection, { id, column }, position)
  return (before === undefined || before < rank) && (after === undefined || rank < after)
}

/** A rank for a place in a column, by default at its end. If no number is left there, the column is renumbered. */
async function makeRoom(
  connection: Connection,
  card: Pick<Card, 'id' | 'column'>,
  position: number | undefined,
): Promise<number> {
  const [before, after] =
    position === undefined ? [await lastRank(connection, card)] : await neighbours(connection, card, position)
  const between = rankBetween(before, after)
  if (between !== undefined) return between
  const place = position ?? 0
  await connection.run(RENUMBER, card.column, card.id, place)
  return place + 1
}

/** Ranks of the cards before and after a place in a column, without the card itself. */
async function neighbours(
  connection: Connection,
  { id, column }: Pick<Card, 'id' | 'column'>,
  position: number,
): Promise<[number | undefined, number | undefined]> {
  const place = Math.min(position, BEYOND_EVERY_END)
  if (place === 0) return [undefined, rankOf((await connection.run(NEIGHBOURS, column, id, 0))[0])]
  const [before, after] = await connection.run(NEIGHBOURS, column, id, place - 1)
  if (before) return [rankOf(before), rankOf(after)]
  return [await lastRank(connection, { id, column }), undefined]
}

async function lastRank(connection: Connection, { id, column }: Pick<Card, 'id' | 'column'>) {
  return rankOf((await connection.run(LAST_RANK, column, id))[0])
}
