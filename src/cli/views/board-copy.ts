import type { BoardCopied } from '../../model/board/board-copy.js'
import { toTerminalLine } from '../terminal/text.js'

export function copiedBoardText({ from, to, cards, history, runs, log_pieces, digest }: BoardCopied): string {
  const format = (count: number, one: string, many: string) =>
    `${count.toLocaleString('en')} ${count === 1 ? one : many}`
  const counts = [
    format(cards, 'card', 'cards'),
    format(history, 'entry of their history', 'entries of their history'),
    format(runs, 'run', 'runs'),
  ].join(', ')
  return [
    `Copied ${counts} and ${format(log_pieces, 'piece', 'pieces')} of logs; both boards are the same.`,
    `  from    ${toTerminalLine(from)}, which accepts no changes any more`,
    `  to      ${toTerminalLine(to)}`,
    `  digest  ${digest}`,
    'Set BOARD_DB or BOARD_HOME to the new place, and start the servers.',
  ].join('\n')
}
