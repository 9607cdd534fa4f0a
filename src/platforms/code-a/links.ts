/**
 * Addresses of pages that a delivery does not contain, derived from others. Paths within a repository differ between
 * three server families: GitHub, Gitea with Forgejo, and Gogs.
 */
import { objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'

/** A page below the repository. @param path parts of the address, encoded here; a part may contain slashes */
export function repositoryPage({ repository }: Hook, ...path: string[]): string | undefined {
  const url = webUrlAt(repository, 'html_url')
  if (url === undefined) return undefined
  return [url.endsWith('/') ? url.slice(0, -1) : url, ...path.map(encodePath)].join('/')
}

/** The files of a branch or tag. */
export function refPage(hook: Hook, type: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  if (hook.dialect === 'gogs') return repositoryPage(hook, 'src', name)
  if (hook.dialect === 'github') return repositoryPage(hook, 'tree', name)
  return type === 'branch' || type === 'tag' ? repositoryPage(hook, 'src', type, name) : undefined
}

export function commitPage(hook: Hook, sha: string): string | undefined {
  return repositoryPage(hook, 'commit', sha)
}

export function issuePage(hook: Hook, number: string | undefined): string | undefined {
  return number === undefined ? undefined : repositoryPage(hook, 'issues', number)
}

export function pullRequestPage(hook: Hook, number: string | undefined): string | undefined {
  if (number === undefined) return undefined
  return repositoryPage(hook, hook.dialect === 'github' ? 'pull' : 'pulls', number)
}

export function wikiPage(hook: Hook, page: string): string | undefined {
  return repositoryPage(hook, 'wiki', page)
}

/** A page of GitHub outside repositories; other servers have no such pages. */
export function gitHubPage(hook: Hook, ...path: string[]): string | undefined {
  const site = siteOf(hook)
  return hook.dialect !== 'github' || site === undefined ? undefined : [site, ...path.map(encodePath)].join('/')
}

/** The page of an account. Many deliveries contain only the login. */
export function accountPage(hook: Hook, login: string | undefined): string | undefined {
  const site = siteOf(hook)
  return site === undefined || login === undefined ? undefined : `${site}/${encodePath(login)}`
}

/** The site's base address: that of an account or repository, without its name. */
function siteOf({ body, repository, repositoryName, sender }: Hook): string | undefined {
  const owner = objectAt(repository, 'owner')
  return (
    withoutName(repository, repositoryName) ??
    withoutName(sender, textAt(sender, 'login')) ??
    withoutName(owner, textAt(owner, 'login')) ??
    withoutName(objectAt(body, 'organization'), textAt(objectAt(body, 'organization'), 'login'))
  )
}

function withoutName(object: Payload | undefined, name: string | undefined): string | undefined {
  const url = webUrlAt(object, 'html_url')
  if (url === undefined || name === undefined) return undefined
  const end = `/${name}`.toLowerCase()
  return url.toLowerCase().endsWith(end) ? url.slice(0, -end.length) : undefined
}

/** Encodes a path except its slashes. A lone surrogate cannot be encoded. */
function encodePath(path: string): string {
  if (/^[\w./-]*$/u.test(path)) return path
  return path
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
}
