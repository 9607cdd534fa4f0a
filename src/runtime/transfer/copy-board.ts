import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { AppError } from '../../model/app-error.js'
import type { BoardCopied } from '../../model/board/board-copy.js'
import { shownAddress } from '../../model/postgres-address.js'
import type { BoardPlace } from '../../settings/board/board-settings.js'
import { BOARD_TABLE_NAMES, type BoardRow, type BoardTableName, keyOf } from '../../store/board-rows.js'
import type { BoardStore } from '../../store/board-store.js'
import { requireDatabase } from '../board-backup.js'
import { type BoardLog, boardFiles, type OpenBoard, openBoard } from '../open-board.js'
import { lastCommit, mayBeMoved } from './last-commit.js'

interface CopyBoardOptions {
  logger: BoardLog
  /** @param rows number copied so far */
  onProgress?: (rows: number) => void
}

/**
 * Moves a board from files to PostgreSQL, or back, and compares both. The old board then accepts no changes. A move
 * that fails leaves the old board in use; after an interruption, the same call starts over.
 *
 * @throws AppError `not_found/board_missing`, `conflict/ledger_owned` while a server has the files open, `conflict/board_not_empty`,
 *   `conflict/runs_active`, `conflict/copy_differs`, `configuration/continued_elsewhere`, `configuration/import_incomplete`,
 *   `invalid/same_board`, `unavailable/…`
 *
 * Source: docs/decisions/0083.
 */
export async function copyBoard(
  { from, to }: { from: BoardPlace; to: BoardPlace },
  { logger, onProgress = () => {} }: CopyBoardOptions,
): Promise<BoardCopied> {
  if (placeOf(from) === placeOf(to)) throw sameBoard()
  if (!from.postgres) await requireDatabase(boardFiles(from.home).cards)
  const source = await openBoard(from, logger, { role: 'command', mayBeClosed: true })
  try {
    const target = await openBoard(to, logger, { role: 'command', mayBeClosed: true })
    try {
      await refuseUnfit(source, target)
      await refuseActive(source.store)
      await source.store.rows.setClosed({ state: 'moved', place: target.database })
      try {
        return await copyRows(source, target, onProgress)
      } catch (error) {
        if (!mayBeMoved(error)) await source.store.rows.setClosed(undefined)
        throw error
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** @param source closed for changes */
async function copyRows(
  source: OpenBoard,
  target: OpenBoard,
  onProgress: (rows: number) => void,
): Promise<BoardCopied> {
  const [from, to] = [source.store, target.store]
  // A run may have been started before the board was closed.
  await refuseActive(from)
  await to.rows.setClosed({ state: 'incomplete', place: source.database })
  await to.rows.clear()
  let copied = 0
  for (const table of BOARD_TABLE_NAMES) {
    for await (const rows of pagesOf(from, table)) {
      await to.rows.write(table, rows)
      copied += rows.length
      onProgress(copied)
    }
  }
  await to.runs.setPaused(await from.runs.isPaused())
  const [there, here] = [await summarise(from), await summarise(to)]
  if (there.digest !== here.digest) throw copyDiffers()
  const isIncomplete = async () => (await to.rows.findClosed()) !== undefined
  await lastCommit(() => to.rows.setClosed(undefined), isIncomplete, target.database)
  const { cards, card_history, runs, run_log } = here.counts
  const counts = { cards, history: card_history, runs, log_pieces: run_log }
  return { from: source.database, to: target.database, ...counts, digest: here.digest }
}

async function* pagesOf({ rows }: BoardStore, table: BoardTableName): AsyncGenerator<BoardRow[]> {
  let after: number[] | null = null
  for (;;) {
    const page: BoardRow[] = await rows.read(table, after)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = keyOf(table, last)
  }
}

async function summarise(store: BoardStore) {
  const hash = createHash('sha256')
  const counts = { cards: 0, card_history: 0, runs: 0, run_log: 0 }
  for (const table of BOARD_TABLE_NAMES) {
    for await (const rows of pagesOf(store, table)) {
      counts[table] += rows.length
      for (const row of rows) hash.update(`${JSON.stringify([table, ...row])}\n`)
    }
  }
  return { counts, digest: hash.digest('hex') }
}

async function refuseUnfit(source: OpenBoard, target: OpenBoard): Promise<void> {
  const [left, begun] = [await source.store.rows.findClosed(), await target.store.rows.findClosed()]
  if (left?.state === 'incomplete') throw incomplete(source.database, left.place)
  if (left && left.place !== target.database) throw movedElsewhere(source.database, left.place)
  if (begun?.state === 'moved') throw movedElsewhere(target.database, begun.place)
  if (begun) {
    if (begun.place !== source.database) throw incomplete(target.database, begun.place)
    return
  }
  for (const table of BOARD_TABLE_NAMES) {
    if ((await target.store.rows.read(table, null)).length > 0) throw notEmpty(target.database)
  }
}

async function refuseActive({ runs }: BoardStore): Promise<void> {
  const active = await runs.listActive()
  if (active.length === 0) return
  const detail = `${active.length} runs are queued or running: the first is ${active[0]?.run.id}.`
  throw new AppError('conflict', 'runs_active', detail, {
    hint: 'Let its server end or cancel them, and repeat the command.',
  })
}

function placeOf({ home, postgres }: BoardPlace): string {
  return postgres ? shownAddress(postgres) : resolve(home)
}

function notEmpty(database: string): AppError {
  return new AppError('conflict', 'board_not_empty', `The board ${database} is not new: it has cards or runs.`, {
    hint: 'Name a new folder, or a schema without a board.',
  })
}

function incomplete(database: string, place: string): AppError {
  const detail = `The board ${database} has only a part of the board ${place}.`
  return new AppError('configuration', 'import_incomplete', detail, { hint: `Repeat the copy from ${place}.` })
}

function movedElsewhere(database: string, to: string): AppError {
  return new AppError('configuration', 'continued_elsewhere', `The board ${database} was moved to ${to} already.`, {
    hint: 'Copy from there.',
  })
}

function sameBoard(): AppError {
  return new AppError('invalid', 'same_board', '--from and --to name the same board.')
}

function copyDiffers(): AppError {
  return new AppError(
    'conflict',
    'copy_differs',
    'The copy differs from the original: the digests of their rows do not match.',
    {
      hint: 'Repeat the command: it copies all rows again.',
    },
  )
}
