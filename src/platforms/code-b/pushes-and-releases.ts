/** Events about the code itself: pushes, branches and tags, releases, wiki pages. */
import type { TargetNode } from '../../model/events/event.js'
import { commitMessages, isNoCommit, pushIdentity, readRef } from '../mapping/code-host.js'
import { digestOf } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, known, numberAt, objectsAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import { pusherOf } from './actor.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, linkInProject, pathInProject, projectId } from './target-nodes.js'
import { firstTimeAt } from './time.js'

/** A push without commits creates or deletes a branch. Pushes have no time. */
export function mapPush(hook: Hook): Mapped {
  const { body } = hook
  const { before, after } = endsOf(body)
  if (before === undefined && after === undefined) return mapRef(hook, 'push', 'received')
  if (isNoCommit(after)) return mapRef(hook, 'branch', 'deleted')
  if (isNoCommit(before) && !hasCommits(body)) return mapRef(hook, 'branch', 'created')
  return mapRef(hook, 'push', 'created')
}

export function mapTagPush(hook: Hook): Mapped {
  const { before, after } = endsOf(hook.body)
  if (before === undefined && after === undefined) return mapRef(hook, 'tag', 'received')
  if (isNoCommit(after)) return mapRef(hook, 'tag', 'deleted')
  return mapRef(hook, 'tag', before === undefined || isNoCommit(before) ? 'created' : 'updated')
}

function endsOf(body: Payload): { before: string | undefined; after: string | undefined } {
  return { before: textAt(body, 'before'), after: textAt(body, 'after') }
}

function mapRef(hook: Hook, objectType: 'push' | 'branch' | 'tag', verb: string): Mapped {
  const { body } = hook
  const ref = textAt(body, 'ref')
  const { before, after } = endsOf(body)
  const target = refNode(hook, ref, verb)
  return {
    objectType,
    verb,
    subjectId: objectType === 'push' ? (after ?? ref) : ref,
    identity: pushIdentity(projectId(hook.project), body),
    occurrence: 'once',
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, {
      text: textAt(body, 'message') ?? commitMessages(body),
      url: webUrlAt(objectsAt(body, 'commits').at(-1), 'url'),
    }),
    actor: pusherOf(hook),
    metadata: known({
      ref,
      before,
      after,
      total_commits_count: numberAt(body, 'total_commits_count'),
    }),
  }
}

/** Payloads list only the newest commits; system hooks list none. */
function hasCommits(body: Payload): boolean {
  return objectsAt(body, 'commits').length > 0 || (numberAt(body, 'total_commits_count') ?? 0) > 0
}

/** A deleted ref has no page. */
function refNode(hook: Hook, ref: string | undefined, verb: string): TargetNode {
  const { type, name } = readRef(ref)
  const url = verb === 'deleted' ? undefined : linkInProject(hook, 'tree', name)
  return toNode(type, { id: pathInProject(hook, name), display: name, url, parent: carrierNode(hook) })
}

/** System hooks send the result of one push for several refs together. */
export function mapRepositoryUpdate(hook: Hook): Mapped {
  const { body } = hook
  const id = projectId(hook.project)
  const moves = objectsAt(body, 'changes').flatMap(change => pushIdentity(id, change) ?? [])
  const target = carrierNode(hook) ?? toNode('repository', {})
  return {
    objectType: 'repository',
    verb: 'updated',
    subjectId: id,
    identity: id,
    occurrence: [moves.length > 0 ? digestOf(moves.join('\n')) : undefined],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, {}),
    actor: pusherOf(hook),
  }
}

/** The body itself is the release. It names no person, and no time but that of the creation. */
export function mapRelease(hook: Hook): Mapped {
  const { body } = hook
  const verb = verbOf(hook)
  const tag = textAt(body, 'tag')
  const id = idAt(body, 'id')
  const path = pathInProject(hook, tag)
  const target = toNode('release', {
    id: id ?? path,
    display: textAt(body, 'name') ?? tag,
    url: webUrlAt(body, 'url') ?? linkInProject(hook, 'releases', tag),
    metadata: known({ tag_name: tag }),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'release',
    verb,
    subjectId: id ?? tag,
    identity: id ?? path,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : [digestOf(JSON.stringify(body))],
    occurredAt: verb === 'created' ? firstTimeAt(body, ['created_at', 'released_at']) : undefined,
    target,
    conversation: conversationOf(hook, target, { text: textAt(body, 'description') }),
  }
}

/** Pages have no ids, and a deleted page can be created again. Its version distinguishes the occurrences. */
export function mapWikiPage(hook: Hook): Mapped {
  const { attributes: page } = hook
  const slug = textAt(page, 'slug')
  const path = pathInProject(hook, slug)
  const version = textAt(page, 'version_id')
  const target = toNode('wiki_page', {
    id: path,
    display: textAt(page, 'title') ?? slug,
    url: webUrlAt(page, 'url'),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'wiki_page',
    verb: verbOf(hook),
    subjectId: slug,
    identity: path,
    occurrence: [version],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, { text: textAt(page, 'message') ?? textAt(page, 'content') }),
    metadata: known({ version }),
  }
}
