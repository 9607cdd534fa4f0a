import type { Gate, RequestFacts } from '../../gate/gate.js'
import type { RunPlan } from '../../model/board/run.js'
import type { BoardRequest } from './board-route.js'

interface ShownPlanParts {
  gate: Pick<Gate, 'provesExecution'>
  /** The parts of a request by which the gate admits a real run. */
  executionFacts: (req: BoardRequest) => Pick<RequestFacts, 'executorToken' | 'address'>
}

/** Removes from a run, or from the executor's status, what its reader may not see. */
export type ShowPlan = <T extends { plan: RunPlan | null }>(of: T) => T

/**
 * The command is shown only with the executor's token: its arguments may contain credentials, which not every user of
 * the board may see.
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
