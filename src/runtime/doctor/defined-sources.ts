import { LedgerClient } from '../../client/ledger-client.js'
import { type Finding, ok, warning } from '../../model/diagnosis.js'
import { needsSecret, type ShownSource } from '../../model/sources/source-definition.js'

const ANSWER_SECONDS = 10

/** Whether the sources that operators have defined accept deliveries, from the server that has the ledger open. */
export async function checkDefinedSources(socketPath: string): Promise<Finding[]> {
  const answer = await new LedgerClient({ socketPath }, { idleSeconds: ANSWER_SECONDS }).sources()
  return judgeSources((answer.json() as { items: ShownSource[] }).items)
}

export function judgeSources(sources: readonly ShownSource[]): Finding[] {
  const findings = sources.flatMap(({ definition, accepts, secret_count, feed }) => {
    const { name, proof, enabled } = definition
    if (feed?.problem !== undefined) {
      return [
        warning(`The feed ${name} could not be read. ${feed.problem}`, `It is read next at ${feed.next_read_at}.`),
      ]
    }
    if (accepts || enabled === false) return []
    const detail = `The source ${name} accepts nothing: it has no secret.`
    const advice = `Set one with "daybook sources add ${name} --secret-file <file>".`
    return secret_count === 0 && needsSecret({ proof }) ? [warning(detail, advice)] : []
  })
  if (sources.length === 0) return []
  const open = sources.filter(({ definition }) => definition.proof.type === 'none').length
  const unverified = open === 0 ? '' : ` Deliveries to ${open} of them are not verified.`
  return [...findings, ok(`Sources of operators: ${sources.length}.${unverified}`)]
}
