import { type FieldProblem, joinRefusals, refusedInput } from '../../model/app-error.js'
import type { EventInput } from '../../model/events/event.js'
import { readObject } from '../../model/json-object.js'
import { timestampRefusals } from '../../model/timestamp.js'
import { toIdentifier, toWord } from '../mapping/identifiers.js'
import { known, memberOf, type Payload, textAt, webUrlAt } from '../mapping/payload.js'

/** The ledger's source of every CloudEvent; the event's own `source` is part of its key. */
const CLOUD_EVENTS = 'cloudevents'

/** Attributes that every CloudEvent of this version has. */
const REQUIRED = ['id', 'source', 'specversion', 'type'] as const
const OPTIONAL_TEXTS = ['datacontenttype', 'dataschema', 'subject', 'time'] as const
const VERSION = '1.0'
const TYPE_CHARACTERS = 128
const VERSION_SUFFIX = /^v\d+$/u
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u
const ONE_FORM = /^[^\0\p{Cs}]*$/u

/**
 * An event from a CloudEvent in its JSON format. `source` and `id` are its identity; the whole CloudEvent is the
 * payload.
 *
 * @param input parsed JSON
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with every refused attribute,
 *   `invalid/invalid_timestamp` if only its time is refused
 *
 * Source: CloudEvents 1.0.2, "Context Attributes"; JSON Event Format 1.0.2, sections 2 and 3; docs/decisions/0077.
 */
export function readCloudEvent(input: unknown): EventInput {
  const sent = withoutNulls(readObject(input, 'A CloudEvent'))
  const problems = problemsOf(sent)
  const refusals = problems.length > 0 ? [refusedInput('The CloudEvent', problems)] : []
  refusals.push(...timestampRefusals('/time', textAt(sent, 'time')))
  if (refusals.length > 0) throw joinRefusals(refusals)
  return toEventInput(sent)
}

/** An attribute that is null counts as absent; data may be null. */
function withoutNulls(input: Payload): Payload {
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== null || name === 'data'))
}

function problemsOf(sent: Payload): FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (name: string, reason: string) => problems.push({ field: `/${name}`, detail: `/${name} ${reason}.` })
  for (const name of REQUIRED) {
    const value = memberOf(sent, name)
    if (value === undefined) refuse(name, 'is required')
    else if (typeof value !== 'string' || value === '') refuse(name, 'must be a string that is not empty')
    else if (!ONE_FORM.test(value)) refuse(name, 'must not contain a NUL character or a lone surrogate')
  }
  for (const name of OPTIONAL_TEXTS) {
    const value = memberOf(sent, name)
    if (value !== undefined && (typeof value !== 'string' || value === '')) {
      refuse(name, 'must be a string that is not empty, or absent')
    }
  }
  const version = textAt(sent, 'specversion')
  if (version !== undefined && version !== VERSION) refuse('specversion', `must be "${VERSION}"`)
  const type = textAt(sent, 'type')
  if (type !== undefined && [...type].length > TYPE_CHARACTERS) {
    refuse('type', `has more than ${TYPE_CHARACTERS} characters`)
  }
  const base64 = memberOf(sent, 'data_base64')
  if (base64 !== undefined && Object.hasOwn(sent, 'data')) refuse('data_base64', 'cannot be sent together with data')
  else if (base64 !== undefined && !(typeof base64 === 'string' && BASE64.test(base64))) {
    refuse('data_base64', 'must be a string in base64')
  }
  return problems
}

function toEventInput(sent: Payload): EventInput {
  const [id = '', source = '', type = ''] = [textAt(sent, 'id'), textAt(sent, 'source'), textAt(sent, 'type')]
  const subject = textAt(sent, 'subject')
  const { objectType, verb } = actionOfType(type)
  return {
    dedupe_key: keyOf(source, id),
    source: CLOUD_EVENTS,
    kind: type,
    subject_id: toIdentifier(subject ?? id),
    subject_type: objectType,
    action: { kind: type, object_type: objectType, verb, metadata: {} },
    actor: actorOf(sent),
    target: {
      type: objectType,
      ...(subject === undefined ? {} : { key: `${objectType}:${toIdentifier(subject)}`, display: subject }),
      metadata: {},
      parent: {
        type: 'source',
        key: `source:${toIdentifier(source)}`,
        display: source,
        ...known({ url: webUrlAt(sent, 'source') }),
        metadata: {},
      },
    },
    occurred_at: textAt(sent, 'time') ?? null,
    payload: sent,
  }
}

/** A unique key for each pair: the id's colons are encoded, so the last colon separates source and id. */
function keyOf(source: string, id: string): string {
  const oneWord = id.replaceAll('%', '%25').replaceAll(':', '%3A')
  return `${CLOUD_EVENTS}:${toIdentifier(source)}:${toIdentifier(oneWord)}`
}

/** `com.example.object.deleted.v2`: an object that was deleted. A type of one word is a verb. */
function actionOfType(type: string): { objectType: string; verb: string } {
  const words = type.split('.').flatMap(part => toWord(part) ?? [])
  if (words.length > 2 && VERSION_SUFFIX.test(words.at(-1) ?? '')) words.pop()
  return { objectType: words.at(-2) ?? 'event', verb: words.at(-1) ?? 'event' }
}

/** Source: CloudEvents extension "Auth Context". */
function actorOf(sent: Payload): NonNullable<EventInput['actor']> {
  const [id, type] = [textAt(sent, 'authid'), textAt(sent, 'authtype')]
  return id === undefined ? {} : { id, display: id, metadata: known({ type }) }
}
