import { type CardAction, type CardActor, EXECUTOR } from '../../../model/board/card-history.js'
import { isFinished, type LogPiece, type Run, type RunState } from '../../../model/board/run.js'
import { textOrNull } from '../../rows/columns.js'
import { endOf, toRun } from '../../rows/stored-run.js'
import type { RunChanges, RunStore } from '../../run-store.js'
import type { Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { isStorable } from '../connection/text-array.js'
import { lockBoard } from './board-lock.js'
import { addToHistory } from './card-history.js'
import { appendLog, readLog } from './run-log.js'
import { notifyOfRun, type RunNotices } from './run-notices.js'

const RUN = `seq, id, card_id, mode, state, reason, exit_code, signal, created_at, started_at, finished_at,
  timeout_seconds, log_bytes, log_dropped_bytes, plan`
const LIST = /* sql */ `
  SELECT ${RUN} FROM runs
  WHERE ($1::text IS NULL OR card_id = $1) AND ($2::text IS NULL OR state = $2) AND ($3::bigint IS NULL OR seq < $3)
  ORDER BY seq DESC LIMIT $4`
const COUNT = /* sql */ `SELECT state, count(*) AS runs FROM runs GROUP BY state ORDER BY state`
const COUNT_QUEUED = /* sql */ `SELECT count(*) AS runs FROM runs WHERE state = 'queued' AND fence IS NULL`
const FIND = /* sql */ `SELECT ${RUN} FROM runs WHERE id = $1`
const HAS_MODE = /* sql */ `SELECT 1 AS found FROM runs WHERE card_id = $1 AND mode = $2 LIMIT 1`
const CREATE = /* sql */ `
  INSERT INTO runs (id, card_id, mode, state, reason, exit_code, signal, created_at, started_at, finished_at,
    timeout_seconds, log_bytes, log_dropped_bytes, plan)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
/** An interrupted run keeps its marker: its processes may still run, even if its server is gone. */
const UPDATE = /* sql */ `
  UPDATE runs SET state = $2, reason = $3, exit_code = $4, signal = $5, started_at = $6, finished_at = $7,
    marker = CASE WHEN $2 IN ('queued', 'running', 'interrupted') THEN marker END
  WHERE id = $1`
const DELETE_BEYOND = /* sql */ `
  WITH gone AS (
    DELETE FROM runs WHERE seq IN (
      SELECT seq FROM runs WHERE state NOT IN ('queued', 'running') ORDER BY seq DESC OFFSET $1)
    RETURNING seq)
  DELETE FROM run_log WHERE run IN (SELECT seq FROM gone)`
const MARK = /* sql */ `UPDATE runs SET marker = $2 WHERE id = $1`
const LIST_ACTIVE = /* sql */ `
  SELECT ${RUN}, marker, fence FROM runs WHERE state IN ('queued', 'running') ORDER BY seq`
/** Locks the lease: a lease that ends at this moment waits for the transaction. */
const HOLDS_LEASE = /* sql */ `
  SELECT 1 AS found FROM leases WHERE name = $1 AND fence = $2 AND ends_at > clock_timestamp() FOR UPDATE`
const TAKE = /* sql */ `
  UPDATE runs SET fence = $1
  WHERE seq = (SELECT min(seq) FROM runs WHERE state = 'queued' AND fence IS NULL) RETURNING ${RUN}`
const IS_QUEUED = /* sql */ `SELECT 1 AS found FROM runs WHERE id = $1 AND state = 'queued' AND fence IS NULL`
const IS_PAUSED = /* sql */ `SELECT paused FROM board`
const SET_PAUSED = /* sql */ `UPDATE board SET paused = $1`

/** Runs and their logs in the board's database. */
export function runStore(pool: Pool, notices: RunNotices): RunStore {
  const count = async (connection: Connection) => Number((await connection.run(COUNT_QUEUED))[0]?.runs)
  return {
    list: async ({ card_id, state }, { limit, after }) => {
      if (card_id !== undefined && !isStorable(card_id)) return { items: [], next: null }
      const rows = await pool.run(LIST, card_id ?? null, state ?? null, after, limit + 1)
      const page = rows.slice(0, limit)
      return { items: page.map(toRun), next: rows.length > limit ? Number(page.at(-1)?.seq) : null }
    },
    find: id => findRun(pool, id),
    countByState: async () => (await pool.run(COUNT)).map(row => [row.state as RunState, Number(row.runs)]),
    create: (run, { keep, by, mostQueued }) =>
      pool.transaction(async connection => {
        await lockBoard(connection)
        if (mostQueued !== undefined && (await count(connection)) >= mostQueued) return false
        const { id, card_id, mode } = run
        const again = (await connection.run(HAS_MODE, card_id, mode)).length > 0 ? { again: true } : {}
        const started: CardAction = { action: 'run_started', run: id, mode, ...again }
        await addToHistory(connection, card_id, { by, at: run.created_at }, [started])
        await connection.run(
          CREATE,
          ...[run.id, run.card_id, run.mode, run.state, run.reason, run.exit_code, run.signal, run.created_at],
          ...[run.started_at, run.finished_at, run.timeout_seconds, run.log_bytes, run.log_dropped_bytes],
          run.plan && JSON.stringify(run.plan),
        )
        await connection.run(DELETE_BEYOND, keep)
        await notifyOfRun(connection, notices)
        return true
      }),
    update: (id, changes, by = EXECUTOR) =>
      pool.transaction(async connection => {
        await lockBoard(connection)
        const run = await updateRun(connection, id, changes, by)
        await notifyOfRun(connection, notices, id)
        return run
      }),
    takeQueued: lease =>
      pool.transaction(async connection => {
        const { paused } = await lockBoard(connection)
        if (paused || !lease || (await connection.run(HOLDS_LEASE, lease.name, lease.fence)).length === 0)
          return undefined
        const [row] = await connection.run(TAKE, lease.fence)
        return row && toRun(row)
      }),
    cancelQueued: (id, { at, by }) =>
      pool.transaction(async connection => {
        await lockBoard(connection)
        if ((await connection.run(IS_QUEUED, id)).length === 0) return false
        await updateRun(connection, id, { state: 'cancelled', finished_at: at }, by)
        await notifyOfRun(connection, notices, id)
        return true
      }),
    mark: (id, marker) =>
      pool.transaction(async connection => {
        await lockBoard(connection)
        await connection.run(MARK, id, marker)
      }),
    listActive: async () =>
      (await pool.run(LIST_ACTIVE)).map(row => ({
        run: toRun(row),
        marker: textOrNull(row.marker) ?? undefined,
        isTaken: row.fence !== null,
      })),
    appendLog: (id, pieces, most) =>
      pool.transaction(async connection => {
        const appended = await appendLog(connection, id, pieces, most)
        await notifyOfRun(connection, notices, id)
        return appended
      }),
    readLog: (id, after, maxBytes): Promise<LogPiece[]> =>
      pool.use(connection => readLog(connection, id, { after, maxBytes })),
    isPaused: async () => (await pool.run(IS_PAUSED))[0]?.paused === true,
    setPaused: paused =>
      pool.transaction(async connection => {
        await lockBoard(connection, { copies: true })
        await connection.run(SET_PAUSED, paused)
        await notifyOfRun(connection, notices)
      }),
  }
}

/** In a transaction that holds the board. */
export async function updateRun(
  connection: Connection,
  id: string,
  changes: RunChanges,
  by: CardActor,
): Promise<Run | undefined> {
  const before = await findRun(connection, id)
  if (!before || isFinished(before)) return before
  const { state, reason, exit_code, signal, started_at, finished_at } = { ...before, ...changes }
  await connection.run(UPDATE, id, state, reason, exit_code, signal, started_at, finished_at)
  const after = { ...before, state, reason, exit_code, signal, started_at, finished_at }
  if (isFinished(after)) {
    await addToHistory(connection, after.card_id, { by, at: finished_at ?? after.created_at }, [endOf(after)])
  }
  return after
}

async function findRun(connection: Pick<Connection, 'run'>, id: string): Promise<Run | undefined> {
  const [row] = isStorable(id) ? await connection.run(FIND, id) : []
  return row && toRun(row)
}
