import { useEffect, useMemo, useState } from 'preact/hooks'
import { apiResponse, segment } from '../../shared/api.js'
import { CopyButton } from '../../shared/copy.js'
import { html } from '../../shared/html.js'
import { ProblemNote } from '../../shared/problem-note.js'
import { createResource } from '../../shared/resource.js'
import { bytes } from '../../shared/text.js'
import { Words } from '../../shared/text-view.js'
import type { EntryProps } from './entry-card.js'
import { hasRounded, pathsToMatches } from './json-rows.js'
import { JsonTree } from './json-tree.js'

/** Characters of the raw text that are shown until all is asked for. */
const RAW_LIMIT = 20_000

/** The entry as it is stored: folded, or as text. */
export function EntryJson({ event, terms }: EntryProps) {
  const [isRaw, setRaw] = useState(false)
  const asked = terms.join('\n')
  const matched = useMemo(() => pathsToMatches(event, terms), [event.dedupe_key, asked])
  const plain = useMemo(() => JSON.stringify(event, null, 2), [event])
  // The browser rounds large numbers: then the text is taken as the server sent it.
  const isRounded = useMemo(() => hasRounded(event), [event])
  const exact = useMemo(
    () =>
      createResource(async signal =>
        (await apiResponse(`/api/events/${segment(event.dedupe_key)}`, { signal })).text(),
      ),
    [event.dedupe_key],
  )
  useEffect(() => {
    if (isRounded) void exact.load()
  }, [exact, isRounded])
  const text = isRounded ? exact.value.value : plain
  return html`<section class="panel-section" aria-label="Entry as JSON">
    <div class="entry-section-head">
      <h3>Entry as JSON</h3>
      <span class="hint">${bytes(sizeOf(plain))}</span>
      <button type="button" class="button quiet small is-raw" aria-pressed=${isRaw} onClick=${() => setRaw(!isRaw)}>Raw</button>
      ${text !== undefined && html`<${CopyButton} text=${() => text} label="Copy" class="quiet small" />`}
    </div>
    ${
      isRounded &&
      exact.problem.value !== undefined &&
      html`<${ProblemNote} what="The exact text could not be loaded." problem=${exact.problem.value} onRetry=${exact.load} />`
    }
    ${
      isRaw
        ? html`<pre class="wrap entry-raw" tabindex="0" role="group" aria-label="Raw text"><${Words} text=${text ?? ''} terms=${terms} limit=${RAW_LIMIT} mayShowAll /></pre>`
        : html`<${JsonTree} key=${asked} value=${event} terms=${terms} open=${matched} label="Entry" />`
    }
  </section>`
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).byteLength
}
