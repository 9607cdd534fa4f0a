import { LoadProblem, TableSkeleton } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { type Resource, useSlow } from '../../shared/server/api.js'

/** Instead of a list that is not loaded: nothing at first, then its shape, or why it could not be loaded. */
export function Unloaded({ of, name }: { of: Pick<Resource<unknown>, 'problem' | 'load'>; name: string }) {
  const isWaiting = of.problem.value === undefined
  const isSlow = useSlow(isWaiting)
  if (isSlow) return html`<${TableSkeleton} label=${`Loading the ${name}`} />`
  if (isWaiting) return null
  return html`<div class="view-pad"><${LoadProblem} of=${of} what=${`The ${name} could not be loaded.`} /></div>`
}
