import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { StoredEvent } from '#model/events/event'
import { outcomeGroupOf } from '#model/sentences/event-outcome'
import { sentenceText } from '#model/sentences/event-sentence'
import { SourceGlyph } from '../../../shared/controls/glyph.js'
import { OutcomeMark } from '../../../shared/controls/outcome-mark.js'
import { ProblemNote } from '../../../shared/controls/problem-note.js'
import { classes, html } from '../../../shared/html.js'
import { api, segment } from '../../../shared/server/api.js'
import { createResource } from '../../../shared/server/resource.js'
import type { EventStory, StoryPart } from '../../../shared/server/wire.js'
import { now } from '../../../shared/words/now.js'
import { Words } from '../../../shared/words/text-view.js'
import { clockTime, dateWords, exactTime } from '../../../shared/words/time.js'
import { sourceLabel } from '../../sources.js'
import { eventKey } from '../event-words.js'
import { select } from '../list/event-list-state.js'

const EXCERPT = 300

/** The story shown last: it stays while its events are opened one after the other. */
const current = signal<EventStory | undefined>(undefined)

/** What happened to the same commit, pull request, issue, run or deployment, over all sources. */
export function EntryStory({ event }: { event: StoredEvent }) {
  const key = eventKey(event)
  const gone = useMemo(() => new AbortController(), [key])
  const loading = useMemo(
    () =>
      createResource(async ended => {
        const signal = AbortSignal.any([ended, gone.signal])
        current.value = await api<EventStory>(`/api/events/${segment(key)}/story`, { signal })
      }),
    [key],
  )
  // The server stops searching.
  useEffect(() => () => gone.abort(), [gone])
  const story = current.value?.items.some(part => eventKey(part.event) === key) ? current.value : undefined
  const days = new Set(story?.items.map(part => dateWords(part.event.captured_at, now.value)))
  return html`<section class="panel-section" aria-label="Story">
    <div class="entry-section-head">
      <h3>Story</h3>
      ${!story && html`<button type="button" class="link entry-all" aria-disabled=${loading.isLoading.value} onClick=${loading.load}>${loading.isLoading.value ? 'Searching…' : 'Show'}</button>`}
    </div>
    ${loading.problem.value !== undefined && html`<${ProblemNote} what="The story could not be loaded." problem=${loading.problem.value} onRetry=${loading.load} />`}
    ${
      story &&
      html`<ol class="entry-story">${story.items.map(part => html`<${Part} key=${part.event.captured_at} part=${part} isThis=${eventKey(part.event) === key} hasDate=${days.size > 1} />`)}</ol>
        <p class="hint">${story.items.length === 1 ? 'No other event has the same commit, pull request, issue, run or deployment.' : !story.complete && 'There may be more events than these.'}</p>`
    }
  </section>`
}

function Part({ part: { event, facts }, isThis, hasDate }: { part: StoryPart; isThis: boolean; hasDate: boolean }) {
  const { captured_at: at, source } = event
  const outcome = outcomeGroupOf(event)
  const content = html`<${SourceGlyph} source=${source} name=${sourceLabel(source)} />
    <span class="entry-story-words">${outcome && html`<${OutcomeMark} outcome=${outcome} /> `}<${Words} text=${sentenceText(event)} limit=${EXCERPT} />
      ${facts[0] && html`<small class="code"><${Words} text=${factWords(facts)} limit=${EXCERPT} /></small>`}</span>
    <time datetime=${at} title=${exactTime(at)}>${hasDate && `${dateWords(at, now.value)} `}${clockTime(at)}</time>`
  const name = classes('entry-turn entry-story-part', isThis && 'is-this')
  return html`<li>${
    isThis
      ? html`<div class=${name} aria-current="true">${content}</div>`
      : html`<button type="button" class=${name} onClick=${() => select(eventKey(event))}>${content}</button>`
  }</li>`
}

/** The plainest of the facts: `acme/app#34`, `commit a9fdd6d32c`, `branch fix`. */
function factWords(facts: readonly string[]): string {
  const kinds = ['number', 'commit', 'branch', 'address']
  const fact = kinds.map(kind => facts.find(each => each.startsWith(`${kind} `))).find(Boolean) ?? String(facts[0])
  const [kind = '', ...rest] = fact.split(' ')
  const value = rest.join(' ')
  if (kind === 'commit') return `commit ${value.slice(0, 10)}`
  if (kind === 'branch') return `branch ${value.slice(value.indexOf('/') + 1)}`
  return kinds.includes(kind) ? value : kind.replaceAll('_', ' ')
}
