import type { Executor } from '../../board/executor.js'
import { type Figure, figure, figureBy } from '../metrics/figure.js'
import { ProgramMetrics } from '../metrics/program-metrics.js'
import type { ServedCards } from './card-routes.js'

/** The parts of the board that its metrics read. */
export interface BoardFigureParts {
  cards: Pick<ServedCards, 'countByColumn'>
  executor: Pick<Executor, 'countByState' | 'status'>
}

/** The metrics of a board. */
export class BoardMetrics extends ProgramMetrics {
  watchBoard({ cards, executor }: BoardFigureParts): void {
    this.whenRead('cards', async () => [
      figureBy('column', await cards.countByColumn(), { name: 'daybook_board_cards', help: 'Cards, by column.' }),
    ])
    this.whenRead('runs', () => runFigures(executor))
  }
}

async function runFigures(executor: BoardFigureParts['executor']): Promise<Figure[]> {
  const [counts, { paused }] = await Promise.all([executor.countByState(), executor.status()])
  return [
    figureBy('state', counts, { name: 'daybook_board_runs', help: 'Stored runs of cards, by state.' }),
    figure('daybook_board_executor_paused', '1 while the executor is paused, otherwise 0.', paused ? 1 : 0),
  ]
}
