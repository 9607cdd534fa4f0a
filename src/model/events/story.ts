/**
 * What ties events to one story: a commit, a pull request, an issue, a run, a deployment, or a branch on the same day.
 * Only exact facts count, never words that look alike.
 *
 * Source: docs/decisions/0041.
 */
import { parseUrl } from '../parse-url.js'
import { readTimestamp } from '../timestamp.js'
import { type StoredEvent, type TargetNode, targetChain } from './event.js'
import type { EventFilter } from './event-match.js'
import { foldCase } from './search.js'

export const STORY_LIMITS = {
  /** Events of one story. */
  events: 200,
  /** Searches for one story. */
  searches: 24,
  /** Before and after the first event. */
  days: 30,
} as const

const DAY = 86_400_000_000

/** Facts by name, such as `commit 7e6d…`, and the filters that find other events with the same fact. */
type Facts = ReadonlyMap<string, readonly EventFilter[]>

export interface StoryFacts {
  /** When the event was captured, in microseconds. */
  at: number
  /** The things that the event is about. */
  about: Facts
  /** Things named in a text or in a push's commits. One note may name many, so these never lead to further events. */
  mentioned: Facts
}

/** Where payloads contain facts that the target chain lacks. Names of GitHub and its kin, and of GitLab. */
const COMMITS = [
  ...['pull_request.head.sha', 'pull_request.merge_commit_sha', 'deployment.sha', 'comment.commit_id'],
  ...['object_attributes.last_commit.id', 'object_attributes.merge_commit_sha', 'merge_request.last_commit.id'],
]
const BRANCHES = [
  ...[
    'pull_request.head.ref',
    'workflow_run.head_branch',
    'check_suite.head_branch',
    'check_run.check_suite.head_branch',
  ],
  ...['object_attributes.source_branch', 'object_attributes.ref', 'merge_request.source_branch'],
]
const ADDRESSES = ['commit_url', 'merge_request.url', 'pull_request.html_url', 'issue.html_url']
const DEFAULT_BRANCHES = ['repository.default_branch', 'project.default_branch']

/** Types of nodes that have one story. A repository or a topic has many. */
const THINGS = ['pull_request', 'issue', 'deployment', 'workflow_run', 'pipeline']
/** The segment of an address before the number or hash of a thing. */
const SEGMENTS = ['commit', 'pull', 'pulls', 'issues', 'merge_requests', 'runs', 'pipelines', 'jobs', 'deployments']

const COMMIT = /^(?:[0-9a-f]{64}|[0-9a-f]{40})$/
/** Maximum length of texts and lists; the rest is not read. */
const MOST = { characters: 20_000, commits: 50 } as const

/** The facts of an event. An event without its payload has fewer. */
export function factsOf(event: StoredEvent): StoryFacts {
  const about = new Map<string, EventFilter[]>()
  const mentioned = new Map<string, EventFilter[]>()
  const chain = [...targetChain(event.target)]
  const repository = chain.findLast(node => node.type === 'repository')
  const at = (path: string) => textAt(event.payload, path)
  const { metadata } = event.action

  for (const node of chain) {
    addAddress(about, node.url)
    addThing(about, event, node, repository)
  }
  const heads = [event.subject_id, metadata.after, metadata.head, ...COMMITS.map(at)]
  for (const sha of heads) addCommit(about, sha)
  for (const address of ADDRESSES) addAddress(about, at(address))
  const standing = ['main', 'master', ...DEFAULT_BRANCHES.map(at)]
  for (const branch of [...chain.map(branchName), ...BRANCHES.map(at)]) {
    if (branch !== undefined && !standing.includes(branch)) addBranch(about, event, repository, branch)
  }

  const { commits } = event.payload
  if (Array.isArray(commits)) for (const one of commits.slice(0, MOST.commits)) addCommit(mentioned, textAt(one, 'id'))
  const { title = '', text = '', url = '' } = event.conversation
  for (const word of `${url} ${title} ${text.slice(0, MOST.characters)}`.split(/[\s()[\]<>"'`*]/)) {
    addMention(mentioned, word, repository?.display)
  }
  return { at: readTimestamp('captured_at', event.captured_at).micros, about, mentioned }
}

/**
 * The names of the facts that tie two events to one story, regardless of their order; none if they are not tied. A
 * branch ties only events of one day.
 */
export function sharedFacts(one: StoryFacts, other: StoryFacts): string[] {
  const isNear = Math.abs(one.at - other.at) <= DAY
  const names = new Set([...other.about.keys(), ...other.mentioned.keys()])
  return [...names]
    .filter(name => one.about.has(name) || one.mentioned.has(name))
    .filter(name => isNear || !name.startsWith('branch '))
    .sort()
}

type Found = Map<string, EventFilter[]>

function addCommit(found: Found, sha: unknown): void {
  if (typeof sha !== 'string' || !COMMIT.test(sha)) return
  // The commit of a deleted branch consists of zeros.
  if (!/^0+$/.test(sha))
    found.set(`commit ${sha}`, [{ search: [sha] }, { target: `commit:${sha}` }, { subjectId: sha }])
}

/** The address of a thing, without what follows it: `/pull/34/files` is about `/pull/34`. */
function addAddress(found: Found, url: string | undefined): void {
  const parsed = url === undefined ? undefined : parseUrl(url)
  if (!parsed) return
  const { protocol, host, pathname } = parsed
  const parts = pathname.split('/')
  const at = parts.findIndex((part, index) => index > 2 && SEGMENTS.includes(part) && parts[index + 1])
  if (!protocol.startsWith('http') || at === -1) return
  const name = parts[at + 1] as string
  const address = foldCase(host + parts.slice(0, at + 2).join('/'))
  if (COMMIT.test(name)) addCommit(found, name)
  else found.set(`address ${address}`, [{ search: [address] }])
}

function addThing(found: Found, { source }: StoredEvent, node: TargetNode, repository: TargetNode | undefined): void {
  const { type = '', key, metadata } = node
  if (type === 'commit') addCommit(found, key?.slice('commit:'.length))
  if (!THINGS.includes(type) || !key) return
  // Ids are unique on one server only.
  const host = String(repository?.metadata?.host ?? '')
  found.set(`${type} ${source} ${host} ${key}`, [{ sources: [source], target: key }])
  const sign = source === 'code_b' && type === 'pull_request' ? '!' : '#'
  if (typeof metadata?.number === 'number') addNumber(found, repository?.display, sign, String(metadata.number))
}

function addNumber(found: Found, repository: string | undefined, sign: string, number: string): void {
  if (!repository) return
  const name = foldCase(`${repository}${sign}${number}`)
  found.set(`number ${name}`, [{ search: [name] }])
}

function addBranch(found: Found, { source }: StoredEvent, repository: TargetNode | undefined, branch: string): void {
  const { key = '', metadata } = repository ?? {}
  if (!key.startsWith('repository:')) return
  const target = `branch:${key.slice('repository:'.length)}/${branch}`
  found.set(`branch ${source} ${String(metadata?.host ?? '')} ${target}`, [{ sources: [source], target }])
}

/** A word of a text: an address, a commit, `acme/app#34`, or `#34` in the repository of the event. */
function addMention(found: Found, word: string, repository: string | undefined): void {
  const plain = word.replace(/[.,;:!?]$/, '')
  if (/^https?:/.test(plain)) addAddress(found, plain)
  else addCommit(found, plain)
  const sign = plain.search(/[#!]\d/)
  const number = plain.slice(sign + 1)
  if (sign === -1 || !/^\d{1,9}$/.test(number)) return
  addNumber(found, sign === 0 ? repository : plain.slice(0, sign), plain.charAt(sign), number)
}

function branchName({ type, display }: TargetNode): string | undefined {
  return type === 'branch' ? display : undefined
}

/** @param path members joined by dots */
function textAt(value: unknown, path: string): string | undefined {
  let found = value
  for (const name of path.split('.')) found = Object(found)[name]
  return typeof found === 'string' ? found : undefined
}
