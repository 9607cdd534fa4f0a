import type { CopyRange, CopyStep, ImportMark } from '../../copy-store.js'
import { readCopyPage } from '../read/copy-page.js'
import { read, write } from '../thread/task.js'
import { findMark, saveMark, writeCopies } from '../write/event-copies.js'
import type { OpenLedger } from './event-tasks.js'

/** The methods of `CopyStore`, in the order of the contract. */
export function copyTasks(ledger: OpenLedger) {
  const { database, pruned, epoch } = ledger
  return {
    read: read((range: CopyRange) => readCopyPage(database, { pruned, epoch }, range)),
    write: write(
      (step: CopyStep) => writeCopies(ledger, step),
      ({ appended, changed }) => {
        const events = [...appended, ...changed]
        return { rows: events.length, bytes: events.reduce((bytes, { body }) => bytes + body.byteLength, 0) }
      },
    ),
    findMark: read(() => findMark(database)),
    saveMark: write((mark: ImportMark | null, epoch?: string) => saveMark(database, mark, epoch)),
  }
}
