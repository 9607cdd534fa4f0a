import { useErrorBoundary } from 'preact/hooks'
import { ProblemNote } from './controls/note.js'
import { type Children, html } from './html.js'

/** Confines an error in one view: the rest of the page keeps working. Another `key` renders the view again. */
export function Boundary({ children }: { children?: Children }) {
  const [error] = useErrorBoundary(console.error)
  if (!error) return html`${children}`
  return html`<div class="boundary"><${ProblemNote} what="This view stopped working." problem=${error}
    onRetry=${() => window.location.reload()} /></div>`
}
