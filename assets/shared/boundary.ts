import { Component, type ComponentChildren } from 'preact'
import { ProblemNote } from './controls/problem-note.js'
import { html } from './html.js'

interface BoundaryProps {
  /** When it changes, the view renders again after an error. */
  name: string
  children?: ComponentChildren
}

interface BoundaryState {
  error: unknown
  failed: string | undefined
}

/** Confines an error in one view: the rest of the page keeps working. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, failed: undefined }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ error, failed: this.props.name })
  }

  override render({ name, children }: BoundaryProps, { error, failed }: BoundaryState) {
    if (failed !== name) return children
    return html`<div class="boundary"><${ProblemNote} what="This view stopped working." problem=${error}
      onRetry=${() => window.location.reload()} /></div>`
  }
}
