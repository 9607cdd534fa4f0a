import { AppError } from '../model/app-error.js'
import type { CopyStore } from '../store/copy-store.js'

/** Ledgers that accept no changes of their own, but may be opened. */
export interface AllowedStates {
  /** One with an incomplete import, which the caller continues. */
  continuesImport?: boolean
  /** One that follows another ledger: the caller only reads it, or copies. */
  mayFollow?: boolean
  /** One that continues elsewhere: the caller only reads it. */
  mayBeMoved?: boolean
}

/** @throws AppError `configuration/import_incomplete`, `configuration/follows_another`, `configuration/continued_elsewhere` */
export async function refuseUnusable(
  copies: Pick<CopyStore, 'findMark' | 'findFollow' | 'findMoved'>,
  database: string,
  { continuesImport = false, mayFollow = false, mayBeMoved = false }: AllowedStates,
): Promise<void> {
  if (!continuesImport && (await copies.findMark())) throw importIncomplete(database)
  const { mark } = await copies.findFollow()
  if (mark && !mayFollow) throw followsAnother(database, mark.leader)
  const moved = await copies.findMoved()
  if (moved && !mayBeMoved) throw ledgerMoved(database, moved.to)
}

/** The ledger has only some of its events, and must not record others between them. */
function importIncomplete(database: string): AppError {
  const detail = `An import into the ledger ${database} is not complete.`
  return new AppError('configuration', 'import_incomplete', detail, {
    hint: 'Repeat `daybook ledger import` or `daybook ledger copy`: it continues.',
  })
}

/** Events recorded here would be missing in the other ledger. */
function followsAnother(database: string, leader: string): AppError {
  const detail = `The ledger ${database} follows ${leader}, so nothing else may change it.`
  return new AppError('configuration', 'follows_another', detail, {
    hint: 'Make changes in the other one, serve this one with EVENT_FOLLOW, or run `daybook ledger promote`.',
  })
}

function ledgerMoved(database: string, to: string): AppError {
  return new AppError('configuration', 'continued_elsewhere', `The ledger ${database} was moved to ${to}.`, {
    hint: 'Set EVENT_DB to the new place. If the move was interrupted, repeat `daybook ledger copy`.',
  })
}
