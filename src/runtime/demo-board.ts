import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Cards } from '../board/cards.js'
import type { DemoCard } from '../demo/cards.js'
import { openBoardDatabase } from '../store/sqlite/board/board-database.js'
import { asyncStore } from '../store/sqlite/thread/task.js'

/**
 * Makes a board with cards in it.
 *
 * @param path of a file that is not there yet, below a folder of ours
 * @param ends nothing was made after that
 */
export async function fillDemoBoard(
  path: string,
  { cards, columns, ends }: { cards: readonly DemoCard[]; columns: readonly string[]; ends: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const database = openBoardDatabase(path)
  try {
    let made = 0
    let now = 0
    const board = new Cards({
      store: asyncStore(database.cards),
      columns,
      now: () => now,
      newCardId: () => `card_demo_${++made}`,
    })
    for (const { at, card } of cards) {
      now = Math.min(at, ends)
      await board.create(card)
    }
  } finally {
    database.close()
  }
}
