import type { Gate, RequestFacts } from '../../gate/gate.js'
import type { RunPlan } from '../../model/board/run.js'
import type { BoardRequest } from './board-route.js'

export interface ShownPlanParts {
  gate: Pick<Gate, 'provesExecution'>
  /** Of a request, what the gate looks at to allow a real run. */
  executionFacts: (req: BoardRequest) => Pick<RequestFacts, 'executorToken' | 'address'>
}

/** Shows a run, or the executor, as its reader may see it. */
export type ShowPlan = <T extends { plan: RunPlan | null }>(of: T) => T

/**
 * Arguments of a program may hold credentials, which are no business of everyone who uses the board: the command is shown
 * with the executor's token alone.
 *
 * @throws AppError `throttled/too_many_attempts` for a wrong token, as `Gate.provesExecution`
 */
export function planShownTo({ gate, executionFacts }: ShownPlanParts): (req: BoardRequest) => Promise<ShowPlan> {
  return async req => ((await gate.provesExecution(executionFacts(req))) ? of => of : withoutCommand)
}

const withoutCommand: ShowPlan = of => {
  if (of.plan === null) return of
  const { command: _, ...plan } = of.plan
  return { ...of, plan }
}
