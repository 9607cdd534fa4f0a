import { signal } from '@preact/signals'
import { useMemo, useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import type { StoredEvent } from '#model/events/event'
import type { EventHistogram, EventPage, EventStory, StoryPart } from '#model/ledger-answers'
import { outcomeGroupOf } from '#model/sentences/event-outcome'
import { sentenceText } from '#model/sentences/event-sentence'
import { href } from '../../../shared/address.js'
import { OutcomeMark, SourceGlyph } from '../../../shared/controls/glyph.js'
import { LoadProblem } from '../../../shared/controls/note.js'
import { useKeptFocus } from '../../../shared/focus.js'
import { classes, html } from '../../../shared/html.js'
import { isWide } from '../../../shared/media.js'
import { api, segment, useResource, useSlow } from '../../../shared/server/api.js'
import { pause } from '../../../shared/timing.js'
import { now } from '../../../shared/words/now.js'
import { Words } from '../../../shared/words/text-view.js'
import { clockTime, dateWords, dayOf, exactTime, justBefore } from '../../../shared/words/time.js'
import { sourceLabel } from '../../overview.js'
import { actorName, eventKey, eventText } from '../event-words.js'
import { NO_FILTERS } from '../filters/filter-params.js'
import { filters, filtersQuery } from '../filters/filters.js'
import { select } from '../list/event-list-state.js'
import { type Conversation, conversationOf, isOf } from './conversation.js'
import { Avatar, type EntryProps } from './entry-card.js'

const AROUND = 2
/** Number of events searched for those of a topic without a key. */
const LOOKED_AT = 50
/** Delay, so that moving quickly over rows does not load the context of each. */
const PAUSE_MS = 120
const SHORT = 200
const EXCERPT = 400

interface Around {
  before: readonly StoredEvent[]
  after: readonly StoredEvent[]
  /** All events under the key; undefined if there are too many to count. */
  count: number | undefined
  from: string | null
}

export function EntryConversation({ event, terms }: EntryProps) {
  const conversation = useMemo(() => conversationOf(event), [event])
  const load = (signal: AbortSignal) => loadAround(event, conversation as Conversation, signal)
  const around = useResource(load, [], conversation !== undefined)
  const found = around.value.value
  const isSlow = useSlow(!found && around.problem.value === undefined)
  if (!conversation) return null
  const { before = [], after = [] } = found ?? {}
  const rows = [...before.toReversed(), event, ...after]
  const isMore = found && found.from !== null && (found.count === undefined || found.count > rows.length)
  return html`<section class="panel-section" aria-label="Conversation">
    <div class="entry-section-head">
      <h3>Conversation</h3>
      <span class="grow hint ellipsis"><${Words} text=${conversation.words} limit=${SHORT} /></span>
      ${isMore && html`<${ShowAll} event=${event} conversation=${conversation} found=${found} />`}
    </div>
    ${
      around.problem.value !== undefined
        ? html`<${LoadProblem} of=${around} what="The conversation could not be loaded." />`
        : html`<ol class="entry-talk" aria-busy=${!found}>
          ${!found && isSlow && html`<li class="entry-turn is-skeleton"><span class="skeleton"></span></li>`}
          ${rows.map(one => html`<${Turn} key=${eventKey(one)} event=${one} terms=${terms} isThis=${eventKey(one) === eventKey(event)} day=${dayOf(event.captured_at)} />`)}
        </ol>`
    }
    ${found && rows.length === 1 && html`<p class="hint spaced">There are no other events in it.</p>`}
  </section>`
}

interface ShowAllProps {
  event: StoredEvent
  conversation: Conversation
  found: Around
}

function ShowAll({ event, conversation: { key, within, words }, found }: ShowAllProps) {
  const change = { ...NO_FILTERS, target: key, source: [event.source], from: found.from ?? '', to: '' }
  const link = href('/', filtersQuery({ ...change, event: isWide.value ? filters.value.event : '' }))
  const wider = within.length > 0 ? ` in ${words.split(' › ')[0]}` : ''
  return html`<a class="entry-all reach" href=${link}>Show all${found.count === undefined ? '' : ` ${count(found.count)}`}<${Words} text=${wider} limit=${40} /></a>`
}

interface TurnProps extends EntryProps {
  isThis: boolean
  day: string
}

function Turn({ event, terms, isThis, day }: TurnProps) {
  const words = eventText(event)
  const at = event.captured_at
  const time = html`<time datetime=${at} title=${exactTime(at)}>${dayOf(at) === day ? '' : `${dateWords(at, now.value)} `}${clockTime(at)}</time>`
  const body = html`<${Avatar} event=${event} />
    <span class="entry-turn-head"><strong class="ellipsis"><${Words} text=${actorName(event)} terms=${terms} limit=${SHORT} /></strong>${time}</span>
    <span class="entry-turn-words clamp">${
      words.trim() === ''
        ? html`<span class="quiet-text"><${Words} text=${sentenceText(event)} terms=${terms} limit=${EXCERPT} /></span>`
        : html`<${Words} text=${words} terms=${terms} limit=${EXCERPT} isExcerpt />`
    }</span>`
  if (isThis) return html`<li class="entry-turn is-this" aria-current="true">${body}</li>`
  return html`<li><button type="button" class="entry-turn" onClick=${() => select(eventKey(event))}>${body}</button></li>`
}

async function loadAround(event: StoredEvent, conversation: Conversation, signal: AbortSignal): Promise<Around> {
  await pause(PAUSE_MS, signal)
  signal.throwIfAborted()
  const { captured_at: at } = event
  const query = { source: event.source, target: conversation.key }
  const limit = conversation.within.length > 0 ? LOOKED_AT : AROUND
  const [before, after, all] = await Promise.all([
    api<EventPage>('/api/events', { query: { ...query, to: justBefore(at), order: 'desc', limit }, signal }),
    api<EventPage>('/api/events', { query: { ...query, since: at, order: 'asc', limit }, signal }),
    api<EventHistogram>('/api/histogram', { query: { ...query, buckets: 1 }, signal }),
  ])
  const nearest = (page: EventPage) => page.items.filter(one => isOf(conversation, one)).slice(0, AROUND)
  const total = all.complete ? all.count : undefined
  return { before: nearest(before), after: nearest(after), count: total, from: all.from }
}

/** The last story shown. It stays while its events are opened one after the other. */
const current = signal<EventStory | undefined>(undefined)

/** Events of the same commit, pull request, issue, run or deployment, from all sources. */
export function EntryStory({ event }: { event: StoredEvent }) {
  const key = eventKey(event)
  const [isAsked, ask] = useState(false)
  const head = useRef<HTMLDivElement>(null)
  useKeptFocus(head, () => head.current?.querySelector('h3'))
  const loading = useResource(
    async signal => {
      current.value = await api<EventStory>(`/api/events/${segment(key)}/story`, { signal })
    },
    [],
    isAsked,
  )
  const story = current.value?.items.some(part => eventKey(part.event) === key) ? current.value : undefined
  const days = new Set(story?.items.map(part => dateWords(part.event.captured_at, now.value)))
  return html`<section class="panel-section" aria-label="Story">
    <div class="entry-section-head" ref=${head}>
      <h3 tabindex=${-1}>Story</h3>
      ${!story && loading.problem.value === undefined && html`<button type="button" class="link entry-all" aria-disabled=${isAsked} onClick=${() => ask(true)}>${isAsked ? 'Searching…' : 'Show'}</button>`}
    </div>
    <${LoadProblem} of=${loading} what="The story could not be loaded." />
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
    <span class="anywhere">${outcome && html`<${OutcomeMark} outcome=${outcome} /> `}<${Words} text=${sentenceText(event)} limit=${EXCERPT} />
      ${facts[0] && html`<small class="code ellipsis"><${Words} text=${factWords(facts)} limit=${EXCERPT} /></small>`}</span>
    <time datetime=${at} title=${exactTime(at)}>${hasDate && `${dateWords(at, now.value)} `}${clockTime(at)}</time>`
  const name = classes('entry-turn entry-story-part', isThis && 'is-this')
  return html`<li>${
    isThis
      ? html`<div class=${name} aria-current="true">${content}</div>`
      : html`<button type="button" class=${name} onClick=${() => select(eventKey(event))}>${content}</button>`
  }</li>`
}

/** The simplest of the facts: `acme/app#34`, `commit a9fdd6d32c`, `branch fix`. */
function factWords(facts: readonly string[]): string {
  const kinds = ['number', 'commit', 'branch', 'address']
  const fact = kinds.map(kind => facts.find(each => each.startsWith(`${kind} `))).find(Boolean) ?? String(facts[0])
  const [kind = '', ...rest] = fact.split(' ')
  const value = rest.join(' ')
  if (kind === 'commit') return `commit ${value.slice(0, 10)}`
  if (kind === 'branch') return `branch ${value.slice(value.indexOf('/') + 1)}`
  return kinds.includes(kind) ? value : kind.replaceAll('_', ' ')
}
