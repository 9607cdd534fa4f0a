import type { BoardCopied } from '../../model/board/board-copy.js'
import { counted } from '../../model/counted.js'
import { toTerminalLine } from '../terminal/text.js'

export function copiedBoardText({ from, to, cards, history, runs, log_pieces, digest }: BoardCopied): string {
  const counts = [
    counted(cards, 'card'),
    counted(history, 'entry of their history', 'entries of their history'),
    counted(runs, 'run'),
  ].join(', ')
  return [
    `Copied ${counts} and ${counted(log_pieces, 'piece')} of logs; both boards are the same.`,
    `  from    ${toTerminalLine(from)}, which accepts no changes any more`,
    `  to      ${toTerminalLine(to)}`,
    `  digest  ${digest}`,
    'Set BOARD_DB or BOARD_HOME to the new place, and start the servers.',
  ].join('\n')
}
