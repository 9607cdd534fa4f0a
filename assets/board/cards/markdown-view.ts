import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'
import { renderMarkdown } from './markdown.js'

/** Rendered Markdown. Falls back to the source text if rendering fails. */
export function MarkdownView({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let isOld = false
    renderMarkdown(text).then(
      content => {
        if (!isOld) box.current?.replaceChildren(content)
      },
      error => {
        console.warn('The Markdown could not be rendered.', error)
        if (!isOld) setFailed(true)
      },
    )
    return () => {
      isOld = true
    }
  }, [text])
  if (hasFailed) return html`<pre class="wrap"><${Words} text=${text} mayShowAll /></pre>`
  return html`<div ref=${box} class="markdown"></div>`
}
