import { html } from '../html.js'
import { ApiProblem, reasonOf } from '../server/api.js'
import { Words } from '../words/text-view.js'
import { Note } from './note.js'

export interface ProblemNoteProps {
  /** What failed, and whether anything is lost: `The people could not be loaded.` */
  what: string
  problem: unknown
  onRetry?: () => void
}

/** An error with its code and request id, for support. */
export function ProblemNote({ what, problem, onRetry }: ProblemNoteProps) {
  const isKnown = problem instanceof ApiProblem
  const codes = isKnown ? [problem.code, problem.requestId].filter(code => code).join(' · ') : ''
  const actions = onRetry && html`<button type="button" class="button" onClick=${onRetry}>Try again</button>`
  return html`<${Note} kind="danger" what=${what} actions=${actions}>
    <${Words} text=${reasonOf(problem)} />
    ${codes && html` <span class="code hint">${codes}</span>`}
  <//>`
}
