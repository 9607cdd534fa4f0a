/** The project or group of an event. Payloads describe these in many forms, often incompletely. */
import { idAt, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import type { Instance } from './instance.js'

export interface Project {
  id: string | undefined
  /** All its namespaces and its own current name: `group/subgroup/name`. */
  path: string | undefined
  url: string | undefined
}

export interface Group {
  id: string | undefined
  /** Full path if sent, else the last segment. */
  path: string | undefined
  /** Only if the full path is known. */
  url: string | undefined
  /** The parent group. */
  parent: Group | undefined
}

/** Separates the address of a project or group from the rest of a page's address. */
const WITHIN = '/-/'
const GROUPS = 'groups/'
const ORIGIN = /^https?:\/\/[^/]+/iu

/** @returns undefined for an event of a group or the whole instance */
export function readProject(name: string, body: Payload, instance: Instance): Project | undefined {
  const attributes = objectAt(body, 'object_attributes')
  if (name === 'merge_request' && objectAt(attributes, 'target')) return readTargetProject(attributes, instance)

  const project = objectAt(body, 'project')
  const id =
    idAt(project, 'id') ??
    idAt(body, 'project_id') ??
    idAt(attributes, 'project_id') ??
    idAt(attributes, 'target_project_id')
  const url =
    addressOf(project) ??
    webUrlAt(objectAt(body, 'repository'), 'homepage') ??
    projectAround(webUrlAt(attributes, 'url'), instance)
  const path =
    textAt(project, 'path_with_namespace') ??
    textAt(body, 'project_path_with_namespace') ??
    textAt(body, 'path_with_namespace') ??
    pathOf(url, instance)
  if (id === undefined && path === undefined) return undefined
  return { id, path, url: url ?? addressOnInstance(instance, path) }
}

/** The target project of a merge request. */
export function readTargetProject(mergeRequest: Payload | undefined, instance: Instance): Project | undefined {
  const target = objectAt(mergeRequest, 'target')
  const id = idAt(target, 'id') ?? idAt(mergeRequest, 'target_project_id')
  const url = addressOf(target)
  const path = textAt(target, 'path_with_namespace') ?? pathOf(url, instance)
  return id === undefined && path === undefined ? undefined : { id, path, url }
}

/** @returns undefined if no group is sent; the groups of a project follow from its path */
export function readGroup(body: Payload, instance: Instance): Group | undefined {
  const group = objectAt(body, 'group')
  const attributes = objectAt(body, 'object_attributes')
  const id = idAt(group, 'group_id') ?? idAt(group, 'id') ?? idAt(body, 'group_id') ?? idAt(attributes, 'group_id')
  const path =
    textAt(group, 'full_path') ??
    textAt(group, 'group_path') ??
    textAt(body, 'full_path') ??
    textAt(body, 'group_path') ??
    (idAt(body, 'group_id') === undefined ? undefined : textAt(body, 'path')) ??
    groupIn(webUrlAt(attributes, 'url'), instance)
  if (id === undefined && path === undefined) return undefined
  const fullPath = textAt(group, 'full_path') ?? textAt(body, 'full_path')
  const parentPath = textAt(body, 'parent_full_path')
  const around = { path: parentPath, url: addressOnInstance(instance, parentPath), parent: undefined }
  const parent = { id: idAt(body, 'parent_group_id'), ...around }
  const isKnown = parent.id !== undefined || parent.path !== undefined
  return { id, path, url: addressOnInstance(instance, fullPath), parent: isKnown ? parent : undefined }
}

function addressOnInstance({ address }: Instance, path: string | undefined): string | undefined {
  return address === undefined || path === undefined ? undefined : `${address}/${path}`
}

/** Never `url`, the address for `git clone`. */
function addressOf(project: Payload | undefined): string | undefined {
  return webUrlAt(project, 'web_url') ?? webUrlAt(project, 'homepage')
}

/** The address of the containing project or group. */
function addressAround(url: string | undefined): string | undefined {
  return url?.includes(WITHIN) ? url.slice(0, url.indexOf(WITHIN)) : undefined
}

function projectAround(url: string | undefined, instance: Instance): string | undefined {
  return groupIn(url, instance) === undefined ? addressAround(url) : undefined
}

function groupIn(url: string | undefined, instance: Instance): string | undefined {
  const path = pathOf(addressAround(url), instance)
  return path?.startsWith(GROUPS) ? path.slice(GROUPS.length) || undefined : undefined
}

/** The part after the address of the instance, which may be installed under a path. */
function pathOf(url: string | undefined, { address }: Instance): string | undefined {
  if (url === undefined) return undefined
  const below =
    address !== undefined && url.startsWith(`${address}/`) ? url.slice(address.length) : url.replace(ORIGIN, '')
  return below.replace(/^\/|\/$/gu, '') || undefined
}
