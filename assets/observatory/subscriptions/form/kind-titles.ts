/** Titles of kinds in menus and lists; the JSON view shows the codes. */
import { capital } from '../../../shared/words/text.js'

const TITLES: ReadonlyMap<string, string> = new Map([
  ['message.created', 'Message written'],
  ['message.updated', 'Message edited'],
  ['post.created', 'Post written'],
  ['post.updated', 'Post edited'],
  ['reply.created', 'Reply written'],
  ['reply.updated', 'Reply edited'],
  ['comment.created', 'Comment written'],
  ['comment.updated', 'Comment edited'],
  ['issue.created', 'Issue opened'],
  ['pull_request.created', 'Pull request opened'],
  ['push.created', 'Push'],
  ['push.deleted', 'Deleted by push'],
])

/** `workflow_run.failed` → `Workflow run failed`, `message.*` → `Any message` */
export function kindTitle(kind: string): string {
  const known = TITLES.get(kind)
  if (known !== undefined) return known
  const dot = kind.lastIndexOf('.')
  const [object, verb] = dot < 0 ? [kind, ''] : [kind.slice(0, dot), kind.slice(dot + 1)]
  const noun = object.replaceAll(/[._]/g, ' ')
  if (verb === '*') return `Any ${noun}`
  return capital(`${noun} ${verb.replaceAll('_', ' ')}`.trim())
}

const LISTED = 3

/** All watched kinds in one line: `Message written, reaction added`, `Every kind`. */
export function kindsLine(kinds: readonly string[]): string {
  if (kinds.length === 0) return 'Every kind'
  const titles = kinds.slice(0, LISTED).map(kindTitle)
  const [first = '', ...others] = titles
  const line = [first, ...others.map(title => title.charAt(0).toLowerCase() + title.slice(1))].join(', ')
  const more = kinds.length - titles.length
  return more > 0 ? `${line} and ${more} more` : line
}
