import type { CopyPageLine, HeadText } from '../../model/ledger-copy.js'
import { timestampOrNull, toTimestamp } from '../../model/timestamp.js'
import type { CopyPage } from '../../store/copy-store.js'
import type { LedgerHead } from '../../store/event-store.js'

/** The last line of a page. */
export function toPageLine({ through, changes, hasMore, numbering, eventsLeft, head, epoch }: CopyPage): string {
  const page: CopyPageLine = {
    through: toHeadText(through),
    changes,
    has_more: hasMore,
    numbering,
    events_left: eventsLeft,
    head: timestampOrNull(head),
    epoch,
  }
  return toLine({ page })
}

export function toLine(value: object): string {
  return `${JSON.stringify(value)}\n`
}

export function toHeadText(head: LedgerHead | null): HeadText | null {
  return head && { captured_at: toTimestamp(head.capturedAt), digest: head.digest }
}
