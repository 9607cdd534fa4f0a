import type { Executor } from '../../board/executor.js'
import { type Metric, metric, metricBy } from '../metrics/metric.js'
import { ProgramMetrics } from '../metrics/program-metrics.js'
import type { ServedCards } from './card-routes.js'

/** The parts of the board that its metrics read. */
interface BoardMetricParts {
  cards: Pick<ServedCards, 'countByColumn'>
  executor: Pick<Executor, 'countByState' | 'status'>
}

/** The metrics of a board. */
export class BoardMetrics extends ProgramMetrics {
  watchBoard({ cards, executor }: BoardMetricParts): void {
    this.whenRead('cards', async () => [
      metricBy('column', await cards.countByColumn(), { name: 'daybook_board_cards', help: 'Cards, by column.' }),
    ])
    this.whenRead('runs', () => runMetrics(executor))
  }
}

async function runMetrics(executor: BoardMetricParts['executor']): Promise<Metric[]> {
  const [counts, { paused }] = await Promise.all([executor.countByState(), executor.status()])
  return [
    metricBy('state', counts, { name: 'daybook_board_runs', help: 'Stored runs of cards, by state.' }),
    metric('daybook_board_executor_paused', '1 while the executor is paused, otherwise 0.', paused ? 1 : 0),
  ]
}
