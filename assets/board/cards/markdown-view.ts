import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../../shared/html.js'
import { Words } from '../../shared/words/text-view.js'
import { type OnTick, renderMarkdown } from './markdown.js'

/** Rendered Markdown. Falls back to the source text if rendering fails. @param props.onTick makes tasks tickable */
export function MarkdownView({ text, onTick }: { text: string; onTick?: OnTick | undefined }) {
  const latest = useRef(onTick)
  latest.current = onTick
  const box = useRef<HTMLDivElement>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let isOld = false
    renderMarkdown(text, onTick && (tick => latest.current?.(tick) ?? false)).then(
      content => {
        if (!isOld && box.current) replaceWith(box.current, content)
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

/** Keeps the focus on the task that was ticked. */
function replaceWith(box: HTMLElement, content: DocumentFragment): void {
  const at = [...box.querySelectorAll<Element>('input')].indexOf(document.activeElement ?? box)
  box.replaceChildren(content)
  if (at !== -1) box.querySelectorAll('input')[at]?.focus()
}
