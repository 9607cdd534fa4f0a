import { Component, type ComponentChildren } from 'preact'
import { html } from './html.js'
import { ProblemNote } from './problem-note.js'

interface BoundaryProps {
  /** Changes when something else is shown, which is tried afresh. */
  name: string
  children?: ComponentChildren
}

interface BoundaryState {
  error: unknown
  failed: string | undefined
}

/** A defect in one view leaves the rest of the page as it is. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, failed: undefined }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ error, failed: this.props.name })
  }

  override render({ name, children }: BoundaryProps, { error, failed }: BoundaryState) {
    if (failed !== name) return children
    return html`<div class="boundary"><${ProblemNote} what="This view stopped working." problem=${error}
      onRetry=${() => this.setState({ failed: undefined })} /></div>`
  }
}
