import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { plainText } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { labelColour } from './label-colours.js'

export function LabelTag({ label, onRemove }: { label: string; onRemove?: () => void }) {
  return html`<span class=${`label row label-${labelColour(label)}`}>
    <span class="status-dot"></span><span class="ellipsis" title=${plainText(label)}><${Words} text=${label} /></span>
    ${
      onRemove &&
      html`<button type="button" class="label-remove reach" aria-label=${`Remove ${plainText(label)}`} onClick=${onRemove}>
        <${Glyph} name="close" class="small" />
      </button>`
    }
  </span>`
}
