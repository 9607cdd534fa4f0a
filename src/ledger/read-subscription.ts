import { isDeepStrictEqual } from 'node:util'
import { AppError, invalidField, joinRefusals, refusedInput } from '../model/app-error.js'
import { actionOfKind } from '../model/events/action.js'
import { isKindPattern } from '../model/events/event-match.js'
import { toFieldProblems } from '../model/field-problems.js'
import { isDeeperThan, JSON_DEPTH } from '../model/json-depth.js'
import { readObject } from '../model/json-object.js'
import { schemaCheck } from '../model/schema-check.js'
import { findTarget, parseTarget, toScopeKey, toTarget } from '../model/subscriptions/scope-key.js'
import {
  SUBSCRIPTION_LIMITS,
  type Subscription,
  type SubscriptionInput,
  SubscriptionSchema,
} from '../model/subscriptions/subscription.js'
import { readTimestamp, timestampRefusals } from '../model/timestamp.js'
import type { LedgerCaller } from './ledger-caller.js'

const check = schemaCheck(SubscriptionSchema)

/** The ledger maintains them: sent values are ignored, unless an admin sends them. */
const KEPT = ['last_cursor', 'last_event_at', 'owner_user_id', 'created_at', 'updated_at'] as const
const KEPT_INSTANTS = ['last_event_at', 'created_at', 'updated_at'] as const

/**
 * Reads a subscription as sent, over the stored one with its id: members not sent stay, `null` clears. `actions` and
 * `event_kinds`, and `target`, `scope` and `filters`, are derived from each other. The caller's right to change the
 * stored one has already been checked.
 *
 * @param stored what is stored under the id, undefined for a new one
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with every refused field,
 *   `invalid/invalid_timestamp`
 *
 * Source: Event Ledger Service, "Subscription"; decisions, sections 4 and 6.
 */
export function readSubscription(
  input: unknown,
  stored: Subscription | undefined,
  given: { id: string; now: string; caller: LedgerCaller },
): Subscription {
  const sent = { ...readObject(input, 'A subscription') }
  if (isDeeperThan(input, JSON_DEPTH)) {
    const detail = `The subscription is nested deeper than ${JSON_DEPTH} levels.`
    throw refusedInput('The subscription', [{ field: '', detail }])
  }
  delete sent.capture
  delete sent.problem
  if (given.caller.role !== 'admin') for (const member of KEPT) delete sent[member]
  const merged: Record<string, unknown> = { ...stored, ...sent }
  delete merged.problem // what is saved now can be read
  for (const [member, value] of Object.entries(sent)) if (value === null) delete merged[member]
  const changed = changedMembers(sent, stored)
  const refusals = [...instantRefusals(merged, sent), ...kindRefusals(changed)]
  if (!check.Check(merged)) {
    const refusal = refusedInput('The subscription', toFieldProblems(check.Errors(merged), merged))
    throw joinRefusals([refusal, ...refusals])
  }
  let scope: ScopeForms | undefined
  try {
    scope = scopeForms(merged, changed, stored)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    refusals.push(error)
  }
  if (refusals.length > 0) throw joinRefusals(refusals)
  for (const member of KEPT_INSTANTS) {
    if (typeof sent[member] === 'string') merged[member] = readTimestamp(`/${member}`, sent[member]).text
  }
  refuseOverlong(merged)
  return {
    ...merged,
    id: stored?.id ?? given.id,
    source: merged.source,
    ...(scope as ScopeForms),
    ...kindForms(merged, changed, stored),
    capture_modes: merged.capture_modes ?? [],
    metadata: merged.metadata ?? {},
    enabled: merged.enabled ?? true,
    last_cursor: merged.last_cursor ?? null,
    last_event_at: merged.last_event_at ?? null,
    owner_user_id: merged.owner_user_id ?? (stored ? null : ownerOf(given.caller)),
    created_at: merged.created_at ?? stored?.created_at ?? given.now,
    // A client that sends back what it has read means the change, not the time of the last one.
    updated_at: ('updated_at' in changed && merged.updated_at) || given.now,
  }
}

/**
 * Derives the forms that a subscription of an older ledger lacks: `actions` from `event_kinds`; `target`, `scope` and
 * `filters` from each other. Existing forms stay as they are.
 *
 * @returns the same object where nothing is missing
 *
 * Source: Event Ledger Service, "Subscription".
 */
export function completeForms(subscription: Subscription): Subscription {
  const complete = { ...subscription, ...completeScopeForms(subscription), ...completeKindForms(subscription) }
  return isDeepStrictEqual(complete, subscription) ? subscription : complete
}

function completeScopeForms({ source, target, scope, filters }: ScopeForms & { source: string }): ScopeForms {
  const text = target || toTarget(source, isEmpty(scope) ? { filters } : { scope })
  const parsed = text ? findTarget(source, text) : undefined
  if (!text || !parsed) return { target, scope, filters }
  return {
    target: text,
    scope: isEmpty(scope) ? parsed.scope : scope,
    filters: isEmpty(filters) ? parsed.filters : filters,
  }
}

function completeKindForms({ actions, event_kinds }: KindForms): KindForms {
  return { event_kinds, actions: actions.length > 0 ? actions : event_kinds.map(actionOfKind) }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}

function instantRefusals(merged: Record<string, unknown>, sent: Record<string, unknown>): AppError[] {
  const { expires_at, hot_until } = Object(merged.metadata)
  return [
    ...timestampRefusals('/metadata/expires_at', expires_at),
    ...timestampRefusals('/metadata/hot_until', hot_until),
    ...KEPT_INSTANTS.flatMap(member => timestampRefusals(`/${member}`, sent[member])),
  ]
}

/** Refuses a kind that no event can have, or that would be read as another filter elsewhere. */
function kindRefusals({ event_kinds, actions }: Record<string, unknown>): AppError[] {
  const kinds = Array.isArray(event_kinds) ? event_kinds.map((kind, at) => [`/event_kinds/${at}`, kind]) : []
  const ofActions = Array.isArray(actions)
    ? actions.map((action, at) => [`/actions/${at}/kind`, Object(action).kind])
    : []
  return [...kinds, ...ofActions].flatMap(([field, kind]) => {
    if (typeof kind !== 'string' || isKindPattern(kind)) return []
    return [invalidField(field, `${field} is a kind, or a beginning and ".*", as in message.*; "*" means all.`)]
  })
}

function ownerOf(caller: LedgerCaller): string | null {
  return caller.role === 'member' ? caller.userId : null
}

/** Many small merges must not exceed what one request may send. */
function refuseOverlong(merged: SubscriptionInput): void {
  if (Buffer.byteLength(JSON.stringify(merged)) <= SUBSCRIPTION_LIMITS.bytes) return
  const detail = `The subscription would be larger than ${SUBSCRIPTION_LIMITS.bytes} bytes.`
  throw refusedInput('The subscription', [{ field: '', detail }])
}

/** A program that reads a subscription, changes one member and sends it all back has changed only that member. */
function changedMembers(sent: Record<string, unknown>, stored: Subscription | undefined): Record<string, unknown> {
  if (!stored) return sent
  const before = new Map<string, unknown>(Object.entries(stored))
  return Object.fromEntries(
    Object.entries(sent).filter(([member, value]) => !isDeepStrictEqual(value, before.get(member))),
  )
}

type ScopeForms = Pick<Subscription, 'target' | 'scope' | 'filters'>
type KindForms = Pick<Subscription, 'actions' | 'event_kinds'>

/** The form that was changed leads; the others are derived from it. */
function scopeForms(
  merged: SubscriptionInput,
  changed: Record<string, unknown>,
  stored: Subscription | undefined,
): ScopeForms {
  const now: ScopeForms = {
    target: merged.target ?? '',
    scope: (merged.scope as Subscription['scope'] | undefined) ?? {},
    filters: (merged.filters as Subscription['filters'] | undefined) ?? {},
  }
  const touched = (['target', 'scope', 'filters', 'source'] as const).some(member => member in changed)
  if (!touched && stored) return completeScopeForms({ source: merged.source, ...now })
  const cleared = 'target' in changed && !changed.target && !changed.scope && !changed.filters
  if (cleared) return { target: '', scope: {}, filters: {} }
  const text = leadingTarget(merged.source, now, changed)
  if (text === undefined) {
    if (!changed.scope || toScopeKey(merged.source, now.scope) === undefined) return now
    // E.g. known by its native id alone: the other forms cannot express it, and must not keep the previous scope.
    return { target: '', scope: now.scope, filters: changed.filters ? now.filters : {} }
  }
  const parsed = parseTarget(merged.source, text)
  return {
    target: changed.target ? now.target : text,
    scope: changed.scope ? now.scope : parsed.scope,
    filters: changed.filters ? { ...parsed.filters, ...now.filters } : { ...otherFilters(stored), ...parsed.filters },
  }
}

/** Stored members of `filters` that do not come from the target: they stay when it changes. */
function otherFilters(stored: Subscription | undefined): Subscription['filters'] {
  const derived = stored?.target ? findTarget(stored.source, stored.target)?.filters : undefined
  if (!stored || !derived) return {}
  return Object.fromEntries(Object.entries(stored.filters).filter(([name]) => !Object.hasOwn(derived, name)))
}

function leadingTarget(source: string, now: ScopeForms, changed: Record<string, unknown>): string | undefined {
  if (changed.target) return now.target
  if (changed.scope) return toTarget(source, { scope: now.scope })
  if (changed.filters) return toTarget(source, { filters: now.filters })
  return now.target || undefined // if only the source changes, the grammar of the new source applies
}

function kindForms(
  merged: SubscriptionInput,
  changed: Record<string, unknown>,
  stored: Subscription | undefined,
): KindForms {
  if (stored && !('actions' in changed) && !('event_kinds' in changed)) {
    return completeKindForms(stored)
  }
  if (changed.actions && !changed.event_kinds) {
    const actions = (merged.actions ?? []).map(action => ({ ...actionOfKind(action.kind), ...action }))
    return { actions, event_kinds: [...new Set(actions.map(action => action.kind))] }
  }
  const event_kinds = merged.event_kinds ?? []
  if (changed.actions && merged.actions)
    return { event_kinds, actions: merged.actions.map(action => ({ ...actionOfKind(action.kind), ...action })) }
  return { event_kinds, actions: event_kinds.map(actionOfKind) }
}
