import { memberOf, plainWords, textOf } from './event-names.js'

/** How a run on a machine ended, or that it has not ended. */
export const OUTCOMES = ['failed', 'succeeded', 'running', 'cancelled'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Platform words → our words. Words not listed stay unchanged. */
const SAME: Readonly<Record<string, string>> = {
  success: 'succeeded',
  successful: 'succeeded',
  passed: 'succeeded',
  failure: 'failed',
  error: 'failed',
  errored: 'failed',
  canceled: 'cancelled',
  canceling: 'cancelling',
  in_progress: 'running',
  pending: 'queued',
  enqueued: 'queued',
  requested: 'queued',
  waiting_for_resource: 'waiting',
  waiting_for_callback: 'waiting',
  recovered: 'succeeded',
  denied: 'rejected',
}

/**
 * States that may follow the name of a run in its kind: `job.failed`. Others, such as `completed`, are not outcomes.
 */
const RUN_STATES = [
  ...['succeeded', 'failed', 'cancelled', 'cancelling', 'running', 'queued', 'skipped', 'manual', 'waiting', 'blocked'],
  ...['preparing', 'scheduled', 'timed_out', 'neutral', 'action_required', 'stale', 'startup_failure'],
]

const WORDS: Readonly<Record<string, string>> = {
  manual: 'waiting for a person',
  action_required: 'needs action',
  startup_failure: 'failed to start',
  cancelling: 'being cancelled',
}

/** Object types that run on a machine. */
export const RUN_TYPES = [
  ...['check_run', 'check_suite', 'deployment', 'deployment_status', 'job', 'pipeline', 'status'],
  ...['workflow_job', 'workflow_run'],
]

/**
 * The outcome or current state: `action.outcome`; for events stored without one, taken from metadata, kind or payload.
 *
 * @returns lower snake case, such as `succeeded`; empty if unknown
 */
export function outcomeOf(event: unknown): string {
  const said = textOf(event, 'action', 'outcome')
  if (said !== '') return canonicalOutcome(said)
  const metadata = memberOf(event, 'action', 'metadata')
  const type = textOf(event, 'action', 'object_type')
  if (type === 'review')
    return canonicalOutcome(textOf(metadata, 'review_state') || textOf(event, 'payload', 'review', 'state'))
  if (!RUN_TYPES.includes(type)) return ''
  const ended = textOf(metadata, 'conclusion') || textOf(event, 'payload', type, 'conclusion')
  if (ended !== '') return canonicalOutcome(ended)
  const verb = canonicalOutcome(textOf(event, 'action', 'verb'))
  if (RUN_STATES.includes(verb)) return verb
  const states = type.endsWith('status') ? [textOf(metadata, 'state'), textOf(event, 'payload', type, 'state')] : []
  const state = canonicalOutcome([...states, textOf(metadata, 'status')].find(each => each !== '') ?? '')
  return RUN_STATES.includes(state) ? state : ''
}

/** The words of `outcomeOf` that each outcome covers. Other words, such as `approved` and `skipped`, belong to none. */
const COVERED: Readonly<Record<Outcome, readonly string[]>> = {
  failed: ['failed', 'timed_out', 'startup_failure', 'action_required'],
  succeeded: ['succeeded'],
  running: ['running', 'queued', 'waiting', 'manual', 'blocked', 'preparing', 'scheduled'],
  cancelled: ['cancelled', 'cancelling'],
}
const OUTCOME_OF_WORD = new Map(OUTCOMES.flatMap(outcome => COVERED[outcome].map(word => [word, outcome] as const)))

/**
 * The outcome of an event, as the filter `outcome` and the marks on pages use it. It depends on the action alone, so
 * it is also known for an event whose payload is not read.
 *
 * Source: docs/decisions/0037.
 */
export function outcomeGroupOf({ action }: { action: unknown }): Outcome | undefined {
  return OUTCOME_OF_WORD.get(outcomeOf({ action }))
}

/** `timed_out` → `timed out` */
export function outcomeWords(outcome: string): string {
  return (Object.hasOwn(WORDS, outcome) ? WORDS[outcome] : undefined) ?? plainWords(outcome)
}

/** Whether a person has to act on the outcome. Pages colour it, in addition to the word. */
export function isBadOutcome(outcome: string): boolean {
  return ['failed', 'timed_out', 'startup_failure', 'action_required', 'changes_requested'].includes(outcome)
}

/** @param word the platform's word, such as `failure` @returns our word, in lower snake case */
export function canonicalOutcome(word: string): string {
  const plain = word.toLowerCase().replaceAll(/[\s-]+/g, '_')
  return (Object.hasOwn(SAME, plain) ? SAME[plain] : undefined) ?? plain
}
