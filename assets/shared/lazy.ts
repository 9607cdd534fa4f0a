import type { FunctionComponent, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { html } from './html.js'

/**
 * A component whose module loads when it is first shown, for rarely needed parts. Renders nothing until then. A module
 * that fails to load is an error of the view, which `Boundary` shows.
 */
export function lazily<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): (props: Props) => VNode | null {
  let known: FunctionComponent<Props> | undefined
  return props => {
    const [problem, setProblem] = useState<{ error: unknown } | undefined>(undefined)
    const [, draw] = useState(false)
    useEffect(() => {
      if (known) return
      load().then(
        component => {
          known = component
          draw(true)
        },
        error => setProblem({ error }),
      )
    }, [])
    if (problem) throw problem.error
    return known ? html`<${known} ...${props} />` : null
  }
}
