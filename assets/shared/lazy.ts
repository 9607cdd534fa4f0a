import type { FunctionComponent, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { html } from './html.js'
import { checkVersion, isOutdated, outage } from './server/connection.js'

/**
 * A component whose module loads when it is first shown, for rarely needed parts. If an outage prevented the load, the
 * page reloads after it, because browsers keep the failure of a module for as long as the document lives. If the server
 * has a new version of the page, a note above the view shows that. Any other failure is an error of the view, which
 * `Boundary` shows.
 */
export function lazily<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): (props: Props) => VNode | null {
  let known: FunctionComponent<Props> | undefined
  let needsReload = false
  return props => {
    const [problem, setProblem] = useState<{ error: unknown } | undefined>(undefined)
    const [, draw] = useState(false)
    const isAway = outage.value !== undefined
    useEffect(() => {
      if (known) return
      if (needsReload) {
        if (!isAway && !isOutdated.peek()) window.location.reload()
        return
      }
      load().then(
        component => {
          known = component
          draw(true)
        },
        async error => {
          await checkVersion()
          needsReload = true
          if (!outage.peek() && !isOutdated.peek()) setProblem({ error })
        },
      )
    }, [isAway])
    if (problem) throw problem.error
    if (known) return html`<${known} ...${props} />`
    return isAway ? html`<p class="boundary quiet-text">This part loads when the server answers.</p>` : null
  }
}
