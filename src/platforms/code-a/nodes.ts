/**
 * The nodes of target chains: the thing, what carries it, the repository, its owner.
 *
 * Keys hold native ids or paths made of them, never a name that can be changed. A pull request is known by its
 * repository and number on every road: its comments arrive with the id of the issue behind it, not with its own.
 */
import type { TargetNode } from '../../model/event.js'
import { type NodeParts, toNode } from '../node.js'
import { idAt, isTrue, known, memberOf, objectAt, type Payload, textAt, webUrlAt } from '../payload.js'
import type { Hook } from './hook.js'

/** The repository and its owner; the organisation or account alone where an event has no repository. */
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

/** The stable name of the repository in keys: its id, or its path where there is none. */
export function repositoryId({ repository, repositoryName }: Hook): string | undefined {
  return idAt(repository, 'id') ?? repositoryName?.toLowerCase()
}

/** A path below the repository, for what has no id of its own there. */
export function pathInRepository(hook: Hook, path: string | undefined): string | undefined {
  const repository = repositoryId(hook)
  return repository === undefined || path === undefined ? undefined : `${repository}/${path}`
}

export function ownerNode({ body, repository }: Hook): TargetNode | undefined {
  const organization = objectAt(body, 'organization')
  const account = objectAt(objectAt(body, 'installation'), 'account')
  const owner = objectAt(repository, 'owner') ?? organization ?? account
  if (!owner) return undefined
  return toNode('owner', {
    id: idAt(owner, 'id') ?? loginOf(owner)?.toLowerCase(),
    display: loginOf(owner),
    url: webUrlAt(owner, 'html_url'),
    nativeType: textAt(owner, 'type') ?? (owner === organization ? 'Organization' : 'owner'),
  })
}

/** GitHub says `login`; its dialects `username` as well, and for an organisation sometimes only that. */
export function loginOf(person: Payload | undefined): string | undefined {
  return textAt(person, 'login') ?? textAt(person, 'username')
}

export function issueNode(hook: Hook, issue: Payload | undefined): TargetNode {
  const number = idAt(issue, 'number')
  return toNode('issue', {
    id: idAt(issue, 'id') ?? pathInRepository(hook, number),
    ...titled(issue),
    metadata: describe(issue),
    parent: carrierNode(hook),
  })
}

/** @param pull the pull request, or the issue behind it: both tell its number and title */
export function pullRequestNode(hook: Hook, pull: Payload | undefined): TargetNode {
  const number = idAt(pull, 'number') ?? idAt(hook.body, 'number')
  return toNode('pull_request', {
    id: pathInRepository(hook, number),
    ...titled(pull),
    metadata: describe(pull),
    parent: carrierNode(hook),
  })
}

/** The conversation that an issue comment belongs to. A pull request is an issue with an object `pull_request`. */
export function issueOrPullRequestNode(hook: Hook, issue: Payload | undefined): TargetNode {
  const isPull =
    objectAt(issue, 'pull_request') !== undefined ||
    objectAt(hook.body, 'pull_request') !== undefined ||
    isTrue(hook.body, 'is_pull')
  return isPull ? pullRequestNode(hook, issue ?? objectAt(hook.body, 'pull_request')) : issueNode(hook, issue)
}

export function discussionNode(hook: Hook, discussion: Payload | undefined): TargetNode {
  return toNode('discussion', {
    id: idAt(discussion, 'id') ?? pathInRepository(hook, idAt(discussion, 'number')),
    ...titled(discussion),
    metadata: describe(discussion),
    parent: carrierNode(hook),
  })
}

export function commitNode(hook: Hook, sha: string | undefined): TargetNode | undefined {
  if (sha === undefined) return carrierNode(hook)
  return toNode('commit', { id: sha, display: sha.slice(0, 10), parent: carrierNode(hook) })
}

/** Who wrote an object, for its node's metadata; the actor of an event may be somebody else. */
export function authorOf(object: Payload | undefined): { id?: string; display?: string } | undefined {
  const user = objectAt(object, 'user') ?? objectAt(object, 'author')
  return user ? known({ id: idAt(user, 'id'), display: loginOf(user) }) : undefined
}

function titled(object: Payload | undefined): Pick<NodeParts, 'display' | 'url'> {
  const number = idAt(object, 'number')
  const words = [number === undefined ? undefined : `#${number}`, textAt(object, 'title')]
  return {
    display: words.filter(word => word !== undefined).join(' ') || undefined,
    url: webUrlAt(object, 'html_url'),
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
