/** Planning and maintenance around the code: milestones, feature flags, vulnerabilities, expiring tokens. */
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, isTrue, known, memberOf, numberAt, objectsAt, textAt, webUrlAt } from '../mapping/payload.js'
import { actorById } from './actor.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, linkInProject } from './target-nodes.js'
import { timeAt } from './time.js'

/** The payload names no actor. */
export function mapMilestone(hook: Hook): Mapped {
  const { attributes: milestone } = hook
  const verb = verbOf(hook)
  const id = idAt(milestone, 'id')
  const changedAt = timeAt(milestone, 'updated_at')
  const target = toNode('milestone', {
    id,
    display: textAt(milestone, 'title'),
    url: verb === 'deleted' ? undefined : linkInProject(hook, 'milestones', idAt(milestone, 'iid')),
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

/** A flag can be switched any number of times. Only the delivery distinguishes the occurrences. */
export function mapFeatureFlag(hook: Hook): Mapped {
  const { attributes: flag } = hook
  const id = idAt(flag, 'id')
  const active = memberOf(flag, 'active')
  const target = toNode('feature_flag', {
    id,
    display: textAt(flag, 'name'),
    url: linkToFlags(hook),
    parent: carrierNode(hook),
  })
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

/** The list of flags. A flag's own page has a number that is not sent. */
function linkToFlags({ project }: Hook): string | undefined {
  return project?.url === undefined ? undefined : `${project.url}/-/feature_flags`
}

const VULNERABILITY_ADDRESS = /\/vulnerabilities\/(\d+)$/u

/**
 * The address alone identifies a vulnerability, without the project path, which can change. Only the id of the person
 * who changed its state is sent.
 */
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
    // Linking an issue changes neither the state nor the time.
    occurrence: [changedAt, ...(issues > 0 ? [String(issues)] : [])],
    occurredAt: changedAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(vulnerability, 'description') }),
    actor: actorById(state === undefined ? undefined : idAt(vulnerability, `${state}_by_id`)),
    metadata: known({ native_action: nativeState, severity, state }),
  }
}

/** Access and deploy tokens. The event is sent several times before the expiry, each with another `interval`. */
export function mapExpiringToken(objectType: 'access_token' | 'deploy_token'): (hook: Hook) => Mapped {
  return hook => {
    const { attributes: token, body } = hook
    const id = idAt(token, 'id')
    const interval = idAt(body, 'interval')
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
