import { memberOf, nodeName, plainWords, targetChain, textOf } from './event-names.js'
import { type Outcome, RUN_TYPES } from './event-outcome.js'

/** What ran on a machine, and in which repository. */
export interface MachineRun {
  /** `check`, `job` */
  noun: string
  /** `acme/app` */
  repository: string
}

/** A run without its own word has the words of its type. */
const NOUNS: Readonly<Record<string, string>> = {
  check_run: 'check',
  status: 'check',
  workflow_run: 'workflow',
  workflow_job: 'job',
  deployment_status: 'deployment',
}

/** @returns undefined unless the event is about a run in a repository */
export function machineRunOf(event: unknown): MachineRun | undefined {
  const type = textOf(memberOf(event, 'action'), 'object_type')
  if (!RUN_TYPES.includes(type)) return undefined
  const repository = targetChain(event).find(node => node.type === 'repository')
  return repository && { noun: NOUNS[type] ?? plainWords(type), repository: nodeName(repository) }
}

/** An event as far as bursts need it. */
export interface BurstEvent {
  source: string
  /** As in answers of the ledger. */
  captured_at: string
  run: MachineRun | undefined
  outcome: Outcome | undefined
}

/** Fewer runs are shown one by one. */
const LEAST = 4
/** A longer pause ends a burst. Milliseconds. */
const PAUSE_MS = 10 * 60 * 1000

/**
 * Divides events into bursts, which are neighbouring runs in one repository, and single events. In the same order, each
 * event once.
 *
 * @param events newest or oldest first
 */
export function burstsOf<Event extends BurstEvent>(events: readonly Event[]): Event[][] {
  const groups: Event[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last && belongTogether(last.at(-1) as Event, event)) last.push(event)
    else groups.push([event])
  }
  return groups.flatMap(group => (group.length < LEAST ? group.map(event => [event]) : [group]))
}

function belongTogether(one: BurstEvent, other: BurstEvent): boolean {
  return (
    one.run !== undefined &&
    one.source === other.source &&
    one.run.repository === other.run?.repository &&
    Math.abs(Date.parse(one.captured_at) - Date.parse(other.captured_at)) <= PAUSE_MS
  )
}

/** `4 checks on acme/app, 1 failed` */
export function burstWords(burst: readonly BurstEvent[]): string {
  const nouns = new Set(burst.map(({ run }) => run?.noun))
  const noun = nouns.size === 1 ? burst[0]?.run?.noun : 'run'
  const failed = burst.filter(({ outcome }) => outcome === 'failed').length
  return `${burst.length} ${noun}s on ${burst[0]?.run?.repository}${failed > 0 ? `, ${failed} failed` : ''}`
}
