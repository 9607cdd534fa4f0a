import { html } from '../../shared/html.js'
import { TileContent } from '../cards/card-tile.js'
import { drag, dragPoint } from './drag.js'

/** The dragged card, under the pointer, tilted. */
export function DragFloat() {
  if (!drag.value) return null
  const { card, width, height } = drag.value
  const { x, y } = dragPoint.value
  const style = { width: `${width}px`, height: `${height}px`, transform: `translate(${x}px, ${y}px) rotate(1.2deg)` }
  return html`<div class="card card-float" style=${style} aria-hidden="true"><${TileContent} card=${card} /></div>`
}
