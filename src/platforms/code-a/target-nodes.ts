/**
 * The nodes of target chains: the object, its parents, the repository, its owner.
 *
 * Keys contain native ids or paths of ids, never a name, which could change. A pull request is always identified by
 * repository and number: its comments arrive with the id of its issue, not its own.
 */
import type { TargetNode } from '../../model/events/event.js'
import { type NodeParts, toNode } from '../mapping/node.js'
import { idAt, isTrue, known, memberOf, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'
import { accountPage, commitPage, issuePage, pullRequestPage } from './links.js'

/** The repository and its owner; only the organisation or account if an event has no repository. */
export function carrierNode(hook: Hook): TargetNode | undefined {
  if (!hook.repository) return ownerNode(hook)
  return toNode('repository', {
    id: repositoryId(hook),
    display: hook.repositoryName ?? textAt(hook.repository, 'name'),
    url: webUrlAt(hook.repository, 'html_url'),
    metadata: { host: hook.host },
    parent: ownerNode(hook),
  })
}

/** The stable identifier of the repository in keys: its id, or its path if there is no id. */
export function repositoryId({ repository, repositoryName }: Hook): string | undefined {
  return idAt(repository, 'id') ?? repositoryName?.toLowerCase()
}

/** A path below the repository, for objects without an id of their own. */
export function pathInRepository(hook: Hook, path: string | undefined): string | undefined {
  const repository = repositoryId(hook)
  return repository === undefined || path === undefined ? undefined : `${repository}/${path}`
}

/** The repository's account; else the organisation, the account of the app, or the enterprise. */
export function ownerNode(hook: Hook): TargetNode | undefined {
  const { body, repository } = hook
  const organization = objectAt(body, 'organization')
  const account = objectAt(objectAt(body, 'installation'), 'account')
  const owner = objectAt(repository, 'owner') ?? organization ?? account
  if (!owner) return enterpriseNode(objectAt(body, 'enterprise'))
  return accountNode(hook, owner, owner === organization ? 'Organization' : 'owner')
}

/** @param nativeType type of the account if it does not contain one */
export function accountNode(hook: Hook, account: Payload, nativeType = 'owner'): TargetNode {
  return toNode('owner', {
    id: idAt(account, 'id') ?? loginOf(account)?.toLowerCase(),
    display: loginOf(account),
    url: webUrlAt(account, 'html_url') ?? accountPage(hook, loginOf(account)),
    nativeType: textAt(account, 'type') ?? nativeType,
  })
}

/** Ids of enterprises are separate from those of accounts. */
function enterpriseNode(enterprise: Payload | undefined): TargetNode | undefined {
  const id = idAt(enterprise, 'id')
  if (id === undefined) return undefined
  return toNode('owner', {
    id: `enterprise/${id}`,
    display: textAt(enterprise, 'name') ?? textAt(enterprise, 'slug'),
    url: webUrlAt(enterprise, 'html_url'),
    nativeType: 'Enterprise',
  })
}

/** GitHub sends `login`. Others also send `username`, and for an organisation sometimes only that. */
export function loginOf(person: Payload | undefined): string | undefined {
  return textAt(person, 'login') ?? textAt(person, 'username')
}

export function issueNode(hook: Hook, issue: Payload | undefined): TargetNode {
  const number = idAt(issue, 'number')
  return toNode('issue', {
    id: idAt(issue, 'id') ?? pathInRepository(hook, number),
    ...titled(issue, () => issuePage(hook, number)),
    metadata: describe(issue),
    parent: carrierNode(hook),
  })
}

/** @param pull the pull request or its issue; both have number and title */
export function pullRequestNode(hook: Hook, pull: Payload | undefined): TargetNode {
  const number = idAt(pull, 'number') ?? idAt(hook.body, 'number')
  return toNode('pull_request', {
    id: pathInRepository(hook, number),
    ...titled(pull, () => pullRequestPage(hook, number)),
    metadata: describe(pull),
    parent: carrierNode(hook),
  })
}

/** A pull request is an issue with a member `pull_request`. */
export function isPullRequest({ body }: Hook, issue: Payload | undefined): boolean {
  return (
    objectAt(issue, 'pull_request') !== undefined ||
    objectAt(body, 'pull_request') !== undefined ||
    isTrue(body, 'is_pull')
  )
}

/** The conversation of an issue comment. */
export function issueOrPullRequestNode(hook: Hook, issue: Payload | undefined): TargetNode {
  return isPullRequest(hook, issue)
    ? pullRequestNode(hook, issue ?? objectAt(hook.body, 'pull_request'))
    : issueNode(hook, issue)
}

export function discussionNode(hook: Hook, discussion: Payload | undefined): TargetNode {
  return toNode('discussion', {
    id: idAt(discussion, 'id') ?? pathInRepository(hook, idAt(discussion, 'number')),
    ...titled(discussion, () => undefined),
    metadata: describe(discussion),
    parent: carrierNode(hook),
  })
}

export function commitNode(hook: Hook, sha: string | undefined): TargetNode | undefined {
  if (sha === undefined) return carrierNode(hook)
  return toNode('commit', { id: sha, display: sha.slice(0, 10), url: commitPage(hook, sha), parent: carrierNode(hook) })
}

/** The author of an object, for its node's metadata. The actor of an event may be another person. */
export function authorOf(object: Payload | undefined): { id?: string; display?: string } | undefined {
  const user = objectAt(object, 'user') ?? objectAt(object, 'author')
  return user ? known({ id: idAt(user, 'id'), display: loginOf(user) }) : undefined
}

/** A person or thing as `action.metadata` names it. */
export interface Named {
  id?: string
  display?: string
}

/** @returns undefined if the payload has no such object */
export function namedBy(object: Payload | undefined): Named | undefined {
  if (!object) return undefined
  const display = loginOf(object) ?? textAt(object, 'name') ?? textAt(object, 'title') ?? textAt(object, 'slug')
  const named = known({ id: idAt(object, 'id'), display })
  return Object.keys(named).length > 0 ? named : undefined
}

/** @param page derives the address, if the object has none */
function titled(object: Payload | undefined, page: () => string | undefined): Pick<NodeParts, 'display' | 'url'> {
  const number = idAt(object, 'number')
  const words = [number === undefined ? undefined : `#${number}`, textAt(object, 'title')]
  return {
    display: words.filter(word => word !== undefined).join(' ') || undefined,
    url: webUrlAt(object, 'html_url') ?? page(),
  }
}

function describe(object: Payload | undefined): Record<string, unknown> {
  const number = memberOf(object, 'number')
  return known({
    number: typeof number === 'number' ? number : undefined,
    state: textAt(object, 'state'),
    author: authorOf(object),
  })
}
