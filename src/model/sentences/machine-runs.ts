import { counted } from '../counted.js'
import { memberOf, nodeName, targetChain, textOf } from './event-names.js'
import type { Outcome } from './event-outcome.js'
import type { SentencePart } from './event-sentence.js'

/** A run on a machine, and the commit that it ran for. */
export interface MachineRun {
  /** `check`, `job` */
  noun: string
  /** The same for all events of one run; empty if unknown. */
  key: string
  /** `acme/app` */
  repository: string
  /** Key of the commit; empty if unknown. */
  commit: string
}

/** Object types that run for a commit. A deployment is not listed, because it changes more than the state of a commit. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['check_run', 'check'],
  ['check_suite', 'check suite'],
  ['job', 'job'],
  ['pipeline', 'pipeline'],
  ['status', 'check'],
  ['workflow_job', 'job'],
  ['workflow_run', 'workflow'],
])

/** @returns undefined unless the event is about a run in a repository */
export function machineRunOf(event: unknown): MachineRun | undefined {
  const noun = NOUNS.get(textOf(memberOf(event, 'action'), 'object_type'))
  if (noun === undefined) return undefined
  const chain = targetChain(event)
  const repository = chain.find(node => node.type === 'repository')
  if (!repository) return undefined
  const commit = chain.find(node => node.type === 'commit')?.key ?? ''
  return { noun, key: chain.at(-1)?.key ?? '', repository: nodeName(repository), commit }
}

/** The members of an event that bursts depend on. */
export interface BurstEvent {
  source: string
  verified: string
  /** In the form of the ledger's answers. */
  captured_at: string
  run: MachineRun | undefined
  outcome: Outcome | undefined
}

/** Minimum number of events of a burst. Fewer events are shown one by one. */
const LEAST = 4
/** Minimum number of events that a burst hides. It never hides failures; for fewer, it would not save a row. */
const LEAST_FOLDED = 2
/** Milliseconds. A longer pause ends a burst. */
const PAUSE_MS = 10 * 60 * 1000

/**
 * Divides events into bursts and single events. A burst consists of neighbouring events of runs for one commit. The
 * order stays, and each event occurs once.
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
  return groups.flatMap(group => (isBurst(group) ? [group] : group.map(event => [event])))
}

function isBurst(group: readonly BurstEvent[]): boolean {
  return group.length >= LEAST && group.filter(isFolded).length >= LEAST_FOLDED
}

/** Whether the row of a burst also represents this event. Failures are never hidden. */
export function isFolded({ outcome }: Pick<BurstEvent, 'outcome'>): boolean {
  return outcome !== 'failed'
}

/** Unverified events, which anyone may have sent, are not mixed with verified ones. */
function belongTogether(one: BurstEvent, other: BurstEvent): boolean {
  return (
    one.run !== undefined &&
    one.source === other.source &&
    one.verified === other.verified &&
    one.run.repository === other.run?.repository &&
    one.run.commit === other.run.commit &&
    Math.abs(Date.parse(one.captured_at) - Date.parse(other.captured_at)) <= PAUSE_MS
  )
}

/** `4 checks on acme/app: 1 failed`. A run with several events counts once. */
export function burstSentence(burst: readonly BurstEvent[]): SentencePart[] {
  const nouns = new Set(burst.map(({ run }) => run?.noun))
  const noun = (nouns.size === 1 && burst[0]?.run?.noun) || 'run'
  const runs = countRuns(burst)
  const failed = countRuns(burst.filter(event => !isFolded(event)))
  return [
    { kind: 'words', text: `${counted(runs, noun)} on` },
    { kind: 'place', steps: [burst[0]?.run?.repository ?? ''] },
    ...(failed === 0 ? [] : [{ kind: 'outcome', text: `${failed} failed`, isBad: true } as const]),
  ]
}

function countRuns(events: readonly BurstEvent[]): number {
  return new Set(events.map(({ run }) => run?.key || Symbol('a run without a key'))).size
}
