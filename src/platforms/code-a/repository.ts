/** What happens around a repository as a whole: stars, forks, its wiki and pages, packages. */
import { digestOf } from '../identity.js'
import { toNode } from '../node.js'
import { firstInstantAt, idAt, instantAt, known, memberOf, objectAt, objectsAt, textAt, webUrlAt } from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, pathInRepository, repositoryId } from './nodes.js'

/** The repository is what an event is about; where it is not told, an empty node keeps the chain's shape. */
function repositoryTarget(hook: Hook) {
  return carrierNode(hook) ?? toNode('repository', {})
}

/** A star can be given and taken again and again: its time tells the one, only the delivery the other. */
export function mapStar(hook: Hook): Mapped {
  const verb = verbOf(hook)
  const starredAt = instantAt(hook.body, 'starred_at')
  const id = pathInRepository(hook, idAt(hook.sender, 'id'))
  const target = repositoryTarget(hook)
  return {
    objectType: 'star',
    verb,
    subjectId: id,
    identity: id,
    occurrence: [verb === 'created' ? starredAt : undefined],
    occurredAt: verb === 'created' ? starredAt : undefined,
    target,
    conversation: conversationOf(hook, target, {}),
  }
}

/** `watch.started` is the older form of a star, without a time. */
export function mapWatch(hook: Hook): Mapped {
  const verb = verbOf(hook)
  const id = pathInRepository(hook, idAt(hook.sender, 'id'))
  const target = repositoryTarget(hook)
  return {
    objectType: 'watch',
    verb: verb === 'started' ? 'created' : verb,
    subjectId: id,
    identity: id,
    occurrence: [undefined],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, {}),
  }
}

export function mapFork(hook: Hook): Mapped {
  const fork = objectAt(hook.body, 'forkee')
  const id = idAt(fork, 'id')
  const target = toNode('fork', {
    id,
    display: textAt(fork, 'full_name'),
    url: webUrlAt(fork, 'html_url'),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'fork',
    verb: 'created',
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: instantAt(fork, 'created_at'),
    target,
    conversation: conversationOf(hook, target, {}),
  }
}

/** `public`: a private repository was opened to everybody, which can happen again after it was closed. */
export function mapPublic(hook: Hook): Mapped {
  const id = repositoryId(hook)
  const changedAt = instantAt(hook.repository, 'updated_at')
  const target = repositoryTarget(hook)
  return {
    objectType: 'repository',
    verb: 'publicized',
    subjectId: id,
    identity: id,
    occurrence: [changedAt],
    occurredAt: changedAt,
    target,
    conversation: conversationOf(hook, target, {}),
  }
}

/** `gollum`: one event for all pages that a change touched; their revisions identify it. */
export function mapWiki(hook: Hook): Mapped {
  const pages = objectsAt(hook.body, 'pages')
  const revisions = pages.flatMap(page => textAt(page, 'sha') ?? [])
  const names = pages.flatMap(page => textAt(page, 'title') ?? textAt(page, 'page_name') ?? [])
  const target = toNode('wiki', {
    id: repositoryId(hook),
    display: 'wiki',
    url: webUrlAt(pages[0], 'html_url'),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'wiki',
    verb: 'updated',
    subjectId: repositoryId(hook),
    identity: repositoryId(hook),
    occurrence: [revisions.length > 0 ? digestOf(revisions.join('\n')) : undefined],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, { title: names.join(', ') || 'wiki' }),
  }
}

export function mapPageBuild(hook: Hook): Mapped {
  const build = objectAt(hook.body, 'build')
  const id = idAt(hook.body, 'id')
  const target = toNode('page', { id, display: textAt(build, 'status'), parent: carrierNode(hook) })
  return {
    objectType: 'page',
    verb: 'built',
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: firstInstantAt(build, ['updated_at', 'created_at']),
    target,
    conversation: conversationOf(hook, target, { text: textAt(objectAt(build, 'error'), 'message') }),
    metadata: known({ status: textAt(build, 'status') }),
  }
}

/** `package` and `registry_package`: what is published is a version, so the version identifies the event. */
export function mapPackage(hook: Hook): Mapped {
  const object = objectAt(hook.body, hook.name)
  const version = objectAt(object, 'package_version')
  const native = verbOf(hook)
  const verb = native === 'published' ? 'created' : native
  const id = idAt(object, 'id')
  const versionId = idAt(version, 'id')
  const number = textAt(version, 'version') ?? textAt(object, 'version')
  const name = textAt(object, 'name')
  const changedAt = firstInstantAt(version ?? object, [verb === 'created' ? 'created_at' : 'updated_at'])
  const target = toNode(hook.name, {
    id,
    display: number === undefined ? name : `${name ?? ''} ${number}`.trim(),
    url: webUrlAt(version, 'html_url') ?? webUrlAt(object, 'html_url'),
    metadata: known({ version: number }),
    parent: carrierNode(hook),
  })
  return {
    objectType: hook.name,
    verb,
    subjectId: id,
    identity: id === undefined || versionId === undefined ? id : `${id}/${versionId}`,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : [changedAt],
    occurredAt: verb === 'deleted' ? undefined : changedAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(version, 'body') ?? textAt(object, 'description') }),
    metadata: known({ version_id: versionId, prerelease: memberOf(version, 'prerelease') === true || undefined }),
  }
}
