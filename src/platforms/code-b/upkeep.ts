/** What is planned and kept up around the code: milestones, feature flags, vulnerabilities, tokens that expire. */
import { toWord } from '../identity.js'
import { toNode } from '../node.js'
import { idAt, isTrue, known, memberOf, numberAt, objectsAt, textAt, webUrlAt } from '../payload.js'
import { actorById } from './actor.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode } from './nodes.js'
import { timeAt } from './time.js'

/** Nobody is named. */
export function mapMilestone(hook: Hook): Mapped {
  const { attributes: milestone } = hook
  const verb = verbOf(hook)
  const id = idAt(milestone, 'id')
  const changedAt = timeAt(milestone, 'updated_at')
  const target = toNode('milestone', {
    id,
    display: textAt(milestone, 'title'),
    metadata: known({ number: numberAt(milestone, 'iid'), state: textAt(milestone, 'state') }),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'milestone',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : [changedAt],
    occurredAt: verb === 'created' ? timeAt(milestone, 'created_at') : verb === 'deleted' ? undefined : changedAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(milestone, 'description') }),
  }
}

/** Turned on and off any number of times, which only the delivery tells apart. */
export function mapFeatureFlag(hook: Hook): Mapped {
  const { attributes: flag } = hook
  const id = idAt(flag, 'id')
  const active = memberOf(flag, 'active')
  const target = toNode('feature_flag', { id, display: textAt(flag, 'name'), parent: carrierNode(hook) })
  return {
    objectType: 'feature_flag',
    verb: typeof active !== 'boolean' ? verbOf(hook) : isTrue(flag, 'active') ? 'enabled' : 'disabled',
    subjectId: id,
    identity: id,
    occurrence: [undefined],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, { text: textAt(flag, 'description') }),
  }
}

const VULNERABILITY_ADDRESS = /\/vulnerabilities\/(\d+)$/u

/** Known by its address alone, of which the project's path is no lasting part. Who changed its state is told by id. */
export function mapVulnerability(hook: Hook): Mapped {
  const { attributes: vulnerability } = hook
  const url = webUrlAt(vulnerability, 'url')
  const nativeState = textAt(vulnerability, 'state')
  const state = toWord(nativeState)
  const changedAt = timeAt(vulnerability, 'updated_at')
  const identity = VULNERABILITY_ADDRESS.exec(url ?? '')?.[1] ?? url
  const severity = textAt(vulnerability, 'severity')
  const issues = objectsAt(vulnerability, 'issues').length
  const target = toNode('vulnerability', {
    id: identity,
    display: textAt(vulnerability, 'title'),
    url,
    metadata: known({ state, severity }),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'vulnerability',
    verb: state ?? 'received',
    subjectId: url,
    identity,
    // To link an issue changes neither the state nor the time.
    occurrence: [changedAt, ...(issues > 0 ? [String(issues)] : [])],
    occurredAt: changedAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(vulnerability, 'description') }),
    actor: actorById(state === undefined ? undefined : idAt(vulnerability, `${state}_by_id`)),
    metadata: known({ native_action: nativeState, severity }),
  }
}

/** Access and deploy tokens: told several times before the day comes, each time with another `interval`. */
export function mapExpiringToken(objectType: 'access_token' | 'deploy_token'): (hook: Hook) => Mapped {
  return hook => {
    const { attributes: token, body } = hook
    const id = idAt(token, 'id')
    const interval = textAt(body, 'interval')
    const expiresAt = textAt(token, 'expires_at')
    const native = textAt(body, 'event_name')
    const target = toNode(objectType, {
      id,
      display: textAt(token, 'name'),
      metadata: known({ user_id: idAt(token, 'user_id'), expires_at: expiresAt }),
      parent: carrierNode(hook),
    })
    return {
      objectType,
      verb: toWord(native?.replace(`_${objectType}`, '')) ?? 'received',
      subjectId: id,
      identity: id,
      occurrence: [expiresAt, ...(interval === undefined ? [] : [interval])],
      occurredAt: undefined,
      target,
      conversation: conversationOf(hook, target, {}),
      metadata: known({ native_action: native, expires_at: expiresAt, interval }),
    }
  }
}
