import { textOf } from './event-names.js'
import { RUN_TYPES } from './event-outcome.js'
import { joinSentence, sentenceOf } from './event-sentence.js'

/** The verb of the person who caused the run. */
const CAUSED = /^(?:ran|reported)(?: |$)/

/**
 * The outcome of a run and its place, without the person who caused it: `Workflow ci failed on main of acme/app`.
 *
 * @returns empty unless the event is the outcome of a run
 */
export function runTitle(event: unknown): string {
  const type = textOf(event, 'action', 'object_type')
  const parts = sentenceOf(event)
  const end = parts.at(-1)
  if (!RUN_TYPES.includes(type) || end?.kind !== 'outcome') return ''
  const rest = parts.slice(0, -1).filter(({ kind }) => kind !== 'actor')
  const at = rest.findIndex(({ kind }) => kind === 'place')
  const text = (from: number, to?: number) => joinSentence(rest.slice(from, to), each => each).trim()
  const said = at === -1 ? text(0) : text(0, at - 1)
  const what = said.replace(CAUSED, '')
  if (what === said || what === '') return ''
  const place = at === -1 ? '' : text(at)
  const words = at === -1 ? '' : text(at - 1, at)
  const branch = textOf(event, 'target', 'metadata', 'ref') || textOf(event, 'payload', type, 'head_branch')
  const isSaid = branch === '' || place === '' || words !== 'on' || `${what} ${place}`.includes(branch)
  const where = isSaid ? place : `${branch} of ${place}`
  const title = [what, end.text, words, where].filter(each => each !== '').join(' ')
  return title.charAt(0).toUpperCase() + title.slice(1)
}
