/**
 * The nodes of target chains: the object, its parents, the repository, its groups.
 *
 * Types are the neutral words; the platform's own are in `native_type`. Keys contain native ids, or paths if a payload
 * has no id.
 */
import type { TargetNode } from '../../model/events/event.js'
import { type NodeParts, toNode } from '../mapping/node.js'
import { idAt, isTrue, known, numberAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'
import { type Group, type Project, readTargetProject } from './place.js'

/** GitLab nests groups up to 20 deep, with names of up to 255 characters. Other paths are not split. */
const DEEPEST_GROUP = 20
const LONE_SURROGATE = /\p{Cs}/gu
const LONGEST_PATH = (DEEPEST_GROUP + 1) * 256

/** The project and its groups; only the group if an event has no project. */
export function carrierNode(hook: Hook): TargetNode | undefined {
  return hook.project ? projectNode(hook, hook.project) : groupNode(hook.group)
}

export function projectNode(hook: Hook, project: Project): TargetNode {
  const { path, url } = project
  const site = path !== undefined && url?.endsWith(`/${path}`) ? url.slice(0, -path.length) : undefined
  return toNode('repository', {
    id: projectId(project),
    display: path,
    url,
    nativeType: 'project',
    metadata: { host: hook.instance.host },
    parent: namespaceNode(pathAround(path), site),
  })
}

/** The stable identifier of a project in keys: its id, or its path if there is no id. */
export function projectId(project: Project | undefined): string | undefined {
  return project?.id ?? project?.path?.toLowerCase()
}

/** A path below the project, for objects without an id of their own. */
export function pathInProject({ project }: Hook, path: string | undefined): string | undefined {
  const id = projectId(project)
  return id === undefined || path === undefined ? undefined : `${id}/${path}`
}

/** The address of a page of the project, such as `…/-/jobs/12`. Segments are encoded, except their slashes. */
export function linkInProject({ project }: Hook, page: string, name: string | undefined): string | undefined {
  if (project?.url === undefined || name === undefined) return undefined
  return `${project.url}/-/${page}/${encodePath(name)}`
}

/** Encoded for an address, keeping slashes. */
export function encodePath(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD')).replaceAll('%2F', '/')
}

export function groupNode(group: Group | undefined, nativeType = 'group'): TargetNode | undefined {
  if (!group) return undefined
  const { id, path, url, parent } = group
  return toNode('owner', {
    id: id ?? path?.toLowerCase(),
    display: path,
    url,
    nativeType,
    parent: groupNode(parent) ?? namespaceNode(pathAround(path), undefined),
  })
}

/**
 * A group or a person's namespace, and its parents. Paths do not distinguish the two.
 *
 * @param site address of the instance with trailing slash, if known
 */
function namespaceNode(path: string | undefined, site: string | undefined, depth = 1): TargetNode | undefined {
  if (path === undefined || depth > DEEPEST_GROUP) return undefined
  return toNode('owner', {
    id: path.toLowerCase(),
    display: path,
    url: site === undefined ? undefined : `${site}${path}`,
    nativeType: 'namespace',
    parent: namespaceNode(pathAround(path), site, depth + 1),
  })
}

function pathAround(path: string | undefined): string | undefined {
  if (path === undefined || path.length > LONGEST_PATH) return undefined
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) || undefined
}

/** @param fallbackUrl an address on the issue's page, for older payloads without the issue's address */
export function issueNode(hook: Hook, issue: Payload | undefined, fallbackUrl?: string): TargetNode {
  const parent = carrierNode(hook)
  return toNode('issue', { ...trackedParts(hook, issue, '#', fallbackUrl), nativeType: 'issue', parent })
}

/** Epics, tasks, incidents and others; epics belong to a group. */
export function workItemNode(hook: Hook, item: Payload | undefined, fallbackUrl?: string): TargetNode {
  const parent = carrierNode(hook)
  return toNode('work_item', { ...trackedParts(hook, item, '#', fallbackUrl), nativeType: 'work_item', parent })
}

/** @param parent the node's parent, if it is not the target project */
export function pullRequestNode(
  hook: Hook,
  mergeRequest: Payload | undefined,
  { fallbackUrl, parent }: { fallbackUrl?: string | undefined; parent?: TargetNode | undefined } = {},
): TargetNode {
  const target = readTargetProject(mergeRequest, hook.instance)
  const project = target?.path === undefined && target?.id === hook.project?.id ? hook.project : target
  return toNode('pull_request', {
    ...trackedParts(hook, mergeRequest, '!', fallbackUrl),
    nativeType: 'merge_request',
    parent: parent ?? (project ? projectNode(hook, project) : carrierNode(hook)),
  })
}

export function snippetNode(hook: Hook, snippet: Payload | undefined): TargetNode {
  return toNode('snippet', {
    id: idAt(snippet, 'id'),
    display: textAt(snippet, 'title'),
    url: webUrlAt(snippet, 'url') ?? linkInProject(hook, 'snippets', idAt(snippet, 'id')),
    metadata: known({ author: authorOf(snippet) }),
    parent: carrierNode(hook),
  })
}

export function commitNode(hook: Hook, sha: string | undefined, url?: string): TargetNode | undefined {
  if (sha === undefined) return carrierNode(hook)
  return toNode('commit', {
    id: sha,
    display: sha.slice(0, 10),
    url: url ?? linkInProject(hook, 'commit', sha),
    parent: carrierNode(hook),
  })
}

/** The whole instance, parent of people and keys. */
export function instanceNode({ instance }: Hook): TargetNode | undefined {
  const { host, address } = instance
  return host === 'unknown' ? undefined : toNode('instance', { id: host, display: host, url: address })
}

/** The author of an object, for its node's metadata. The actor of an event may be another person. */
export function authorOf(object: Payload | undefined): { id: string } | undefined {
  const id = idAt(object, 'author_id')
  return id === undefined ? undefined : { id }
}

function trackedParts(hook: Hook, object: Payload | undefined, sign: '#' | '!', fallbackUrl?: string): NodeParts {
  const number = idAt(object, 'iid')
  const words = [number === undefined ? undefined : `${sign}${number}`, textAt(object, 'title')]
  return {
    id: idAt(object, 'id') ?? pathInProject(hook, number),
    display: words.filter(word => word !== undefined).join(' ') || undefined,
    url: webUrlAt(object, 'url') ?? fallbackUrl,
    metadata: known({
      number: numberAt(object, 'iid'),
      state: textAt(object, 'state'),
      work_item_type: textAt(object, 'type'),
      author: authorOf(object),
      confidential: isTrue(object, 'confidential') || undefined,
    }),
  }
}
