import type { Test } from 'tap'
import type { BoardStore } from '../../../src/store/board-store.js'

/** Opens an empty board, closed when the test ends. */
export type OpenBoardStore = (t: Test) => Promise<Pick<BoardStore, 'cards' | 'runs' | 'history' | 'sessions' | 'rows'>>
