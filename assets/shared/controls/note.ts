import { type Children, html } from '../html.js'
import type { Resource } from '../server/api.js'
import { ApiProblem, reasonOf, useSlow } from '../server/api.js'
import { Words } from '../words/text-view.js'
import { Glyph, type GlyphName } from './glyph.js'

type NoteKind = 'info' | 'warn' | 'danger' | 'ok'

const GLYPHS: Record<NoteKind, GlyphName> = { info: 'info', warn: 'warning', danger: 'warning', ok: 'check' }

interface NoteProps {
  kind: NoteKind
  /** The fact, in a few words. */
  what: string
  /** Its meaning, and what to do. */
  children?: Children
  actions?: Children
}

/** A note with actions. Errors are announced immediately. */
export function Note({ kind, what, children, actions }: NoteProps) {
  return html`<div class="note box note-${kind}" role=${kind === 'danger' ? 'alert' : undefined}>
    <${Glyph} name=${GLYPHS[kind]} />
    <p><strong>${what}</strong> ${children}</p>
    ${actions && html`<div class="buttons">${actions}</div>`}
  </div>`
}

interface ProblemNoteProps {
  /** The failure, and whether anything is lost: `The people could not be loaded.` */
  what: string
  problem: unknown
  onRetry?: () => void
}

/** Shown if a resource could not be loaded, with a button to load it again. */
export function LoadProblem({ of, what }: { of: Pick<Resource<unknown>, 'problem' | 'load'>; what: string }) {
  const problem = of.problem.value
  return problem === undefined ? null : html`<${ProblemNote} what=${what} problem=${problem} onRetry=${of.load} />`
}

/** Shown instead of a table that is not loaded: nothing at first, then its shape, or the reason of the failure. */
export function Unloaded({ of, name }: { of: Pick<Resource<unknown>, 'problem' | 'load'>; name: string }) {
  const isWaiting = of.problem.value === undefined
  const isSlow = useSlow(isWaiting)
  if (!isWaiting)
    return html`<div class="view-pad"><${LoadProblem} of=${of} what=${`The ${name} could not be loaded.`} /></div>`
  return (
    isSlow &&
    html`<div class="table-skeleton" role="status" aria-label=${`Loading the ${name}`}>
      ${Array.from({ length: 6 }, () => html`<div class="skeleton-row"><span class="skeleton"></span><span class="skeleton"></span><span class="skeleton"></span></div>`)}
    </div>`
  )
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
