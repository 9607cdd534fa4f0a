/** Events about a repository as a whole: stars, forks, its wiki and pages, packages. */
import { digestOf } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import {
  firstInstantAt,
  idAt,
  instantAt,
  isTrue,
  known,
  memberOf,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
  webUrlAt,
} from '../mapping/payload.js'
import { toOutcome } from '../mapping/words.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, pathInRepository, repositoryId } from './target-nodes.js'

/** The repository as target; an empty node keeps the chain's shape if it is not sent. */
function repositoryTarget(hook: Hook) {
  return carrierNode(hook) ?? toNode('repository', {})
}

/** A star can be added and removed repeatedly. Its time identifies an addition; only the delivery, a removal. */
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
  const { fork, original } = forkAndOriginal(hook)
  const id = idAt(fork, 'id')
  const target = toNode('fork', {
    id,
    display: textAt(fork, 'full_name'),
    url: webUrlAt(fork, 'html_url'),
    parent: carrierNode(original),
  })
  return {
    objectType: 'fork',
    verb: 'created',
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: instantAt(fork, 'created_at'),
    target,
    conversation: conversationOf(original, target, {}),
  }
}

/**
 * On GitHub, `forkee` is the fork and `repository` the original; on Gitea and Forgejo it is the reverse. The one marked
 * as a fork is the fork. If both are marked, as for a fork of a fork, the server family decides.
 */
function forkAndOriginal(hook: Hook): { fork: Payload | undefined; original: Hook } {
  const { body, repository, dialect } = hook
  const forkee = objectAt(body, 'forkee')
  const [forkeeIs, repositoryIs] = [isTrue(forkee, 'fork'), isTrue(repository, 'fork')]
  const swapped = forkeeIs === repositoryIs ? dialect === 'gitea' : repositoryIs
  if (!swapped || !forkee) return { fork: forkee, original: hook }
  return { fork: repository, original: { ...hook, repository: forkee, repositoryName: textAt(forkee, 'full_name') } }
}

/** `public`: a private repository became public, which can happen repeatedly. */
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

/** `gollum`: one event for all changed pages; their revisions identify it. */
export function mapWiki(hook: Hook): Mapped {
  const pages = objectsAt(hook.body, 'pages')
  const revisions = pages.flatMap(page => textAt(page, 'sha') ?? [])
  const names = pages.flatMap(page => textAt(page, 'title') ?? textAt(page, 'page_name') ?? [])
  const target = toNode('wiki', {
    id: repositoryId(hook),
    display: names.join(', ') || 'wiki',
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
  const target = toNode('page', { id, display: 'pages', parent: carrierNode(hook) })
  return {
    objectType: 'page',
    verb: 'built',
    subjectId: id,
    identity: id,
    occurrence: 'once',
    outcome: toOutcome(textAt(build, 'status') === 'built' ? 'success' : textAt(build, 'status')),
    occurredAt: firstInstantAt(build, ['updated_at', 'created_at']),
    target,
    conversation: conversationOf(hook, target, { text: textAt(objectAt(build, 'error'), 'message') }),
    metadata: known({ status: textAt(build, 'status') }),
  }
}

/** `package` and `registry_package`: a version was published. The version identifies the event. */
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
