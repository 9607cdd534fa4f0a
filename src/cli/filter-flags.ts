import { string } from '@oclif/core/flags'
import { findPlatformSource } from '../model/platforms/platform-source.js'
import { OUTCOMES } from '../model/sentences/event-outcome.js'
import { readTime } from './input/time-expression.js'

const SEVERAL = { multiple: true, multipleNonGreedy: true } as const

/** The filters of events, as flags. */
export const FILTER_FLAGS = {
  source: string({
    description:
      'Platform source, such as chat, or the name of its platform, such as zulip. May be given several times.',
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
  'exclude-q': string({
    description: 'Without events in which all these words occur, as in -q.',
    helpValue: '<words>',
    ...SEVERAL,
  }),
  'occurred-from': string({
    description: 'Happened on the platform at this time or later: 1h, yesterday, 2026-11-20.',
    helpValue: '<time>',
  }),
  'occurred-to': string({ description: 'Happened on the platform at this time or earlier.', helpValue: '<time>' }),
  q: string({
    char: 'q',
    description: 'Search words, all required; "a phrase" stays together.',
    helpValue: '<words>',
  }),
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
  'exclude-q'?: string[] | undefined
  'occurred-from'?: string | undefined
  'occurred-to'?: string | undefined
  q?: string | undefined
  local?: boolean | undefined
}

/** The given filters, under their names in the API. */
export function filtersOf(flags: FilterFlagValues) {
  const { kind, actor, target, verified, outcome, q } = flags
  return {
    source: withSources(flags.source),
    kind,
    actor,
    target,
    verified,
    outcome,
    q,
    subscription_id: flags['subscription-id'],
    subject_id: flags['subject-id'],
    exclude_source: withSources(flags['exclude-source']),
    exclude_kind: flags['exclude-kind'],
    exclude_actor: flags['exclude-actor'],
    exclude_target: flags['exclude-target'],
    exclude_outcome: flags['exclude-outcome'],
    exclude_q: flags['exclude-q'],
    ...timesOf(flags, ['occurred-from', 'occurred-to']),
  }
}

type TimeFlag = 'since' | 'from' | 'to' | 'before' | 'occurred-from' | 'occurred-to'

/** The times among the flags, in the API's form and under its names. @throws AppError `invalid/wrong_usage` */
export function timesOf<Name extends TimeFlag>(
  flags: { [Flag in Name]?: string | undefined } & { local?: boolean | undefined },
  names: readonly Name[],
): Record<string, string | undefined> {
  const read = (name: Name) => {
    const text = flags[name]
    return text === undefined ? undefined : readTime(`--${name}`, text, { isLocal: flags.local ?? false })
  }
  return Object.fromEntries(names.map(name => [name.replace('-', '_'), read(name)]))
}

/**
 * Adds the source of each platform's name: `github` also finds `code_a`. The name itself stays, because a program that
 * records events may use it as its source.
 */
function withSources(words: readonly string[] | undefined): string[] | undefined {
  return words?.flatMap(word => {
    const [, not = '', name = ''] = /^(!?)(.*)$/s.exec(word) ?? []
    const source = findPlatformSource(name)
    return source === undefined || source === name ? [word] : [word, `${not}${source}`]
  })
}
