import { useMemo, useState } from 'preact/hooks'
import { CopyButton } from '../../../shared/controls/copy.js'
import { LoadProblem } from '../../../shared/controls/note.js'
import { html } from '../../../shared/html.js'
import { apiResponse, segment, useResource } from '../../../shared/server/api.js'
import { bytes } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { eventKey } from '../event-words.js'
import type { EntryProps } from './entry-card.js'
import { hasRounded, pathsToMatches } from './json-rows.js'
import { JsonTree } from './json-tree.js'

/** Initially shown characters of the raw text. */
const RAW_LIMIT = 20_000

/** The stored entry, as a tree or as text. */
export function EntryJson({ event, terms }: EntryProps) {
  const [isRaw, setRaw] = useState(false)
  const asked = terms.join('\n')
  const matched = useMemo(() => pathsToMatches(event, terms), [eventKey(event), asked])
  const plain = useMemo(() => JSON.stringify(event, null, 2), [event])
  // JavaScript rounds large numbers: then the server's original text is loaded.
  const isRounded = useMemo(() => hasRounded(event), [event])
  const path = `/api/events/${segment(eventKey(event))}`
  const exact = useResource(async signal => (await apiResponse(path, { signal })).text(), [path], isRounded)
  const text = isRounded ? exact.value.value : plain
  return html`<section class="panel-section" aria-label="Entry as JSON">
    <div class="entry-section-head">
      <h3>Entry as JSON</h3>
      <span class="hint">${bytes(new Blob([plain]).size)}</span>
      <button type="button" class="button quiet small push" aria-pressed=${isRaw} onClick=${() => setRaw(!isRaw)}>Raw</button>
      ${text !== undefined && html`<${CopyButton} text=${() => text} label="Copy" class="quiet small" />`}
    </div>
    ${isRounded && html`<${LoadProblem} of=${exact} what="The exact text could not be loaded." />`}
    ${
      isRaw
        ? html`<pre class="wrap entry-raw" tabindex="0" role="group" aria-label="Raw text"><${Words} text=${text ?? ''} terms=${terms} limit=${RAW_LIMIT} mayShowAll /></pre>`
        : html`<${JsonTree} key=${asked} value=${event} terms=${terms} open=${matched} label="Entry" />`
    }
  </section>`
}
