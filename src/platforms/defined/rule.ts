import type { NewEvent, TargetNode } from '../../model/events/event.js'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import type { SourceRule, SourceValue } from '../../model/sources/source-definition.js'
import { findTimestamp, toTimestamp } from '../../model/timestamp.js'
import { toIdentifier, toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { known } from '../mapping/payload.js'
import { type ConditionCheck, compileConditions } from './condition.js'
import type { Scope } from './place.js'
import { compileValue, type ReadText, type TextUse } from './template.js'

/** One rule of a mapping, ready to use. */
interface CompiledRule {
  applies: ConditionCheck
  /** @returns the event without key and payload, or the reason why the payload does not fit */
  map(scope: Scope): MappedRule | { misfit: string }
  /** The values of the rule that have no result, as places in the definition. */
  placesWithoutResult(scope: Scope): string[]
}

interface MappedRule {
  event: Omit<NewEvent, 'dedupe_key' | 'payload' | 'source'>
  /** Identity of the event, if the mapping defines it and the payload contains it. */
  key: string | undefined
}

/** Steps that a word of a kind takes in addition to its characters. */
const STEPS_A_WORD = 20
const WEB_URL = /^https?:\/\//iu
const EPOCH = /^\d{1,19}(?:\.\d{1,9})?$/u
/** Units of times in this century. Seconds, milliseconds, microseconds and nanoseconds differ in their size. */
const MICROS_A_UNIT: readonly [below: number, micros: number][] = [
  [1e11, 1e6],
  [1e14, 1e3],
  [1e17, 1],
  [1e20, 1e-3],
]
const LAST_MICROS = 253_402_300_799_000_000

/** @param field place of the rule in the definition; @throws AppError `invalid/invalid_field` */
export function compileRule(rule: SourceRule, field: string): CompiledRule {
  const reads: [at: string, read: ReadText][] = []
  const compile: CompileValue = (value, at, use) => {
    if (value === undefined) return absent
    const read = compileValue(value, at, use)
    reads.push([at, read])
    return read
  }
  const value = (name: Exclude<keyof SourceRule, 'when' | 'actor' | 'target'>, use?: TextUse) =>
    compile(rule[name], `${field}/${name}`, use)
  const { id, display, email } = rule.actor ?? {}
  const ofActor = (each: typeof id, name: string) => compile(each, `${field}/actor/${name}`)
  const actor = { id: ofActor(id, 'id'), display: ofActor(display, 'display'), email: ofActor(email, 'email') }
  const [kindOf, subjectId, subjectType] = [value('kind'), value('subject_id', 'identity'), value('subject_type')]
  const [verbOf, outcome, role] = [value('verb'), value('outcome'), value('actor_role')]
  const [title, text, url] = [value('title'), value('text'), value('url')]
  const time = compileTime(rule.time, `${field}/time`)
  if (rule.time !== undefined) reads.push([`${field}/time`, time])
  const key = value('key', 'identity')
  const target = compileTarget(rule, field, compile)
  return {
    applies: compileConditions(rule.when ?? [], `${field}/when`),
    placesWithoutResult: scope => reads.flatMap(([at, read]) => (read(scope) === undefined ? [at] : [])),
    map: scope => {
      const parts = (kindOf(scope) ?? '').split('.', EVENT_LIMITS.kindCharacters)
      const words = parts.flatMap(part => {
        scope.budget.takeSteps(STEPS_A_WORD + Math.min(part.length, EVENT_LIMITS.kindCharacters))
        return toWord(part) ?? []
      })
      const kind = words.join('.')
      if (kind === '') return { misfit: `${field}/kind has no result` }
      if (kind.length > EVENT_LIMITS.kindCharacters) return { misfit: `${field}/kind has too long a result` }
      const subject = subjectId(scope)
      if (subject === undefined) return { misfit: `${field}/subject_id has no result` }
      const object = words.length > 1 ? words.slice(0, -1).join('.') : 'event'
      const type = toWord(subjectType(scope)) ?? object
      const verb = toWord(verbOf(scope)) ?? words.at(-1) ?? kind
      const link = webUrl(url(scope))
      const nodes = target(scope) ?? toNode(type, { id: subject, display: title(scope), url: link })
      return {
        key: key(scope),
        event: {
          kind,
          subject_id: toIdentifier(subject),
          subject_type: type,
          action: {
            kind,
            object_type: type,
            verb,
            ...known({ outcome: toWord(outcome(scope)) }),
            metadata: {},
          },
          actor: actorFrom(actor.id(scope), actor.display(scope), actor.email(scope)),
          actor_role: role(scope) ?? '',
          target: nodes,
          conversation: known({ key: nodes.key, title: title(scope) ?? nodes.display, text: text(scope), url: link }),
          occurred_at: time(scope) ?? null,
        },
      }
    },
  }
}

type CompileValue = (value: SourceValue | undefined, at: string, use?: TextUse) => ReadText

const absent: ReadText = () => undefined

/** The chain of nodes that have an id, innermost first. */
function compileTarget(
  { target = [] }: SourceRule,
  field: string,
  compile: CompileValue,
): (scope: Scope) => TargetNode | undefined {
  const nodes = target.map(({ type, id, display, url }, index) => {
    const at = `${field}/target/${index}`
    return {
      type,
      id: compile(id, `${at}/id`, 'identity'),
      display: compile(display, `${at}/display`),
      url: compile(url, `${at}/url`),
    }
  })
  const outermostFirst = nodes.reverse()
  return scope => {
    let found: TargetNode | undefined
    for (const { type, id, display, url } of outermostFirst) {
      const native = id(scope)
      if (native === undefined) continue
      const shown = display(scope) ?? native
      found = toNode(type, { id: native, display: shown, url: webUrl(url(scope)), parent: found })
    }
    return found
  }
}

function actorFrom(id: string | undefined, display: string | undefined, email: string | undefined): NewEvent['actor'] {
  const named = id ?? email ?? display
  return {
    id: named === undefined ? '' : toIdentifier(named),
    display: display ?? named ?? '',
    metadata: known({ email }),
  }
}

function webUrl(text: string | undefined): string | undefined {
  return text !== undefined && WEB_URL.test(text) ? text : undefined
}

/** The first alternative that is a time. Several services send 0 or an empty text for an unknown time. */
function compileTime(time: SourceRule['time'], field: string): ReadText {
  const alternatives = Array.isArray(time) ? time : time === undefined ? [] : [time]
  const reads = alternatives.map((each, index) => {
    return compileValue(each, Array.isArray(time) ? `${field}/${index}` : field)
  })
  return scope => {
    for (const read of reads) {
      const instant = toTime(read(scope))
      if (instant !== undefined) return instant
    }
    return undefined
  }
}

/** Converts RFC 3339, or a number since the epoch. Other texts count as absent, and stay in the payload. */
function toTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!EPOCH.test(text)) {
    const instant = findTimestamp(asTimestamp(text))?.text
    return instant?.startsWith('0001-') ? undefined : instant
  }
  const number = Number(text)
  const [, micros] = MICROS_A_UNIT.find(([below]) => number < below) ?? [0, 0]
  const instant = Math.floor(number * micros)
  return instant > 0 && instant <= LAST_MICROS ? toTimestamp(instant) : undefined
}

/** Some services write a space for T, UTC for Z, or the zone without a colon: `2026-11-20 13:00:00 +0000`. */
function asTimestamp(text: string): string {
  return text
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d\d:)/u, '$1T')
    .replace(/ ?UTC$/u, 'Z')
    .replace(/(\d) ?([+-]\d\d):?(\d\d)$/u, '$1$2:$3')
}
