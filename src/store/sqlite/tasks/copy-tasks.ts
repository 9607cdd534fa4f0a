import type { FollowMark } from '../../../model/follow.js'
import type {
  CopyRange,
  CopyStep,
  ImportMark,
  LedgerState,
  MovedMark,
  MovedState,
  PromotionRequest,
} from '../../copy-store.js'
import { readCopyPage } from '../read/copy-page.js'
import { read, write } from '../thread/task.js'
import { findMark, findMoved, saveMark, saveMoved, writeCopies } from '../write/event-copies.js'
import { findFollow, promote, saveEpoch, saveFollow } from '../write/follow-state.js'
import type { OpenLedger } from './event-tasks.js'
import { readState, writeState } from './ledger-state.js'
import { readMovedState, writeMovedState } from './moved-state.js'

/** The methods of `CopyStore`, in the order of the contract. */
export function copyTasks(ledger: OpenLedger) {
  const { database, writer } = ledger
  return {
    read: read((range: CopyRange) => readCopyPage(database, ledger, range)),
    write: write(
      (step: CopyStep) => writeCopies(ledger, step),
      ({ appended, changed }) => {
        const events = [...appended, ...changed]
        return { rows: events.length, bytes: events.reduce((bytes, { body }) => bytes + body.byteLength, 0) }
      },
    ),
    findMark: read(() => findMark(database)),
    saveMark: write((mark: ImportMark | null, epoch?: string) => saveMark(database, ledger, mark, epoch)),
    findMoved: read(() => findMoved(database)),
    saveMoved: write((mark: MovedMark | null) => saveMoved(database, mark)),
    readState: read((deadLetters?: number) => readState(database, deadLetters)),
    writeState: write(
      (state: Partial<LedgerState>) => writeState(database, state),
      ({ subscriptions, users, tokens, consumers, dead_letters }) => {
        const lists = [subscriptions, users, tokens, consumers, dead_letters]
        return { rows: lists.reduce((rows, list) => rows + (list?.length ?? 0), 1), bytes: 0 }
      },
    ),
    readMovedState: read(() => readMovedState(database)),
    writeMovedState: write(
      (state: MovedState) => writeMovedState(database, state),
      ({ sources, feeds }) => ({ rows: 2 * sources.length + feeds.length + 1, bytes: 0 }),
    ),
    findFollow: read(() => findFollow(database)),
    beginFollow: write((mark: FollowMark, epoch: string, accounts: Partial<LedgerState>) => {
      saveFollow(database, mark)
      saveEpoch(database, ledger, epoch)
      writeState(database, accounts)
    }),
    promote: write((request: PromotionRequest) => promote({ database, writer, ledger }, request)),
  }
}
