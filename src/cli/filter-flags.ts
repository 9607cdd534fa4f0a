import { string } from '@oclif/core/flags'
import { OUTCOMES } from '../model/sentences/event-outcome.js'

const SEVERAL = { multiple: true, multipleNonGreedy: true } as const

/** The filters of events, as flags. */
export const FILTER_FLAGS = {
  source: string({
    description: 'Platform source, such as chat. May be given several times.',
    helpValue: '<source>',
    ...SEVERAL,
  }),
  kind: string({
    description: 'Event kind; message.* covers all of message. May be given several times.',
    helpValue: '<kind>',
    ...SEVERAL,
  }),
  'subscription-id': string({
    description: 'Matched this subscription when captured. May be given several times.',
    helpValue: '<id>',
    ...SEVERAL,
  }),
  'subject-id': string({ description: 'Exact id of the subject.', helpValue: '<id>' }),
  actor: string({
    description: 'Id or display name of the actor. May be given several times.',
    helpValue: '<actor>',
    ...SEVERAL,
  }),
  target: string({ description: 'Key anywhere in the target chain.', helpValue: '<key>' }),
  verified: string({
    description: 'Verification: a comma-separated list of signature, token, login, none.',
    helpValue: '<list>',
  }),
  outcome: string({
    description: `How a run ended, or running: ${OUTCOMES.join(', ')}. May be given several times.`,
    helpValue: '<outcome>',
    ...SEVERAL,
  }),
  'exclude-source': string({ description: 'Not of this source.', helpValue: '<source>', ...SEVERAL }),
  'exclude-kind': string({
    description: 'Not of this kind; message.* as in --kind.',
    helpValue: '<kind>',
    ...SEVERAL,
  }),
  'exclude-actor': string({ description: 'Not by this actor.', helpValue: '<actor>', ...SEVERAL }),
  'exclude-target': string({ description: 'Key nowhere in the target chain.', helpValue: '<key>', ...SEVERAL }),
  'exclude-outcome': string({ description: 'Not with this outcome.', helpValue: '<outcome>', ...SEVERAL }),
  q: string({ description: 'Search words, all required; "a phrase" stays together.', helpValue: '<words>' }),
}

interface FilterFlagValues {
  source?: string[] | undefined
  kind?: string[] | undefined
  'subscription-id'?: string[] | undefined
  'subject-id'?: string | undefined
  actor?: string[] | undefined
  target?: string | undefined
  verified?: string | undefined
  outcome?: string[] | undefined
  'exclude-source'?: string[] | undefined
  'exclude-kind'?: string[] | undefined
  'exclude-actor'?: string[] | undefined
  'exclude-target'?: string[] | undefined
  'exclude-outcome'?: string[] | undefined
  q?: string | undefined
}

/** The given filters, by the names that the API has for them. */
export function filtersOf(flags: FilterFlagValues) {
  const { source, kind, actor, target, verified, outcome, q } = flags
  return {
    ...{ source, kind, actor, target, verified, outcome, q },
    subscription_id: flags['subscription-id'],
    subject_id: flags['subject-id'],
    exclude_source: flags['exclude-source'],
    exclude_kind: flags['exclude-kind'],
    exclude_actor: flags['exclude-actor'],
    exclude_target: flags['exclude-target'],
    exclude_outcome: flags['exclude-outcome'],
  }
}
