import { useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import type { Verification } from '#model/events/event'
import type { Facet } from '#model/events/event-facets'
import type { EventFacets } from '#model/ledger-answers'
import { OUTCOMES } from '#model/sentences/event-outcome'
import { type Choice, Choose } from '../../../shared/controls/choose.js'
import { Glyph, OutcomeMark, SourceGlyph, VerifiedMark, verifiedWords } from '../../../shared/controls/glyph.js'
import { Segments } from '../../../shared/controls/segments.js'
import { useKeptFocus } from '../../../shared/focus.js'
import { classes, html } from '../../../shared/html.js'
import { api, createResource } from '../../../shared/server/api.js'
import { capital, plainText } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { bySource, overview, sourceLabel, sourcePlatforms } from '../../overview.js'
import { counts } from '../histogram/histogram-counts.js'
import { type Excludable, type Filters, VERIFIED } from './filter-params.js'
import { apiQuery, clearFilters, filters, hasFilters, setFilters } from './filters.js'
import { valueWords } from './value-menu.js'

const CHIP_LIMIT = 200

type ListFilter = Exclude<Facet, 'source'>

/** Menus of all filters, each with its current choices and exclusions. */
export function FilterMenus({ hasClear = true }: { hasClear?: boolean }) {
  const { target, subject_id } = filters.value
  return html`
    <${FilterMenu} name="outcome" label="Outcome" choices=${outcomeChoices()} canExclude />
    <${FilterMenu} name="kind" label="Kind" choices=${kindChoices()} canExclude placeholder="Find or type message.*"
      mayWrite=${(kind: string) => !/\*(?!$)|[^.]\*$/.test(kind)} />
    <${FilterMenu} name="subscription_id" label="Subscription" choices=${subscriptionChoices()} empty="No subscription of that name." />
    <${FilterMenu} name="actor" label="Who" choices=${withCounts('actor')} canExclude placeholder="Find or type a name" mayWrite=${() => true}
      empty="Type a name or an id." />
    <${FilterMenu} name="verified" label="Verified" choices=${verifiedChoices()} />
    ${target !== '' && html`<${Removable} label="About" isCode value=${target} onRemove=${() => setFilters({ target: '' })} />`}
    ${subject_id !== '' && html`<${Removable} label="Subject" isCode value=${subject_id} onRemove=${() => setFilters({ subject_id: '' })} />`}
    ${EXCLUDED.map(({ name, label }) => html`<${ExcludedChips} name=${name} label=${label} />`)}
    ${hasClear && hasFilters() && html`<button type="button" class="button quiet small accent" onClick=${clearFilters}>Clear all</button>`}`
}

interface FilterMenuProps {
  name: ListFilter
  label: string
  choices: readonly Choice[]
  /** Offers "All but": the same choices, to be left out. */
  canExclude?: boolean
  placeholder?: string
  empty?: string
  mayWrite?: (text: string) => boolean
}

const MODES = [
  { value: 'only', label: 'Only' },
  { value: 'but', label: 'All but' },
] as const

/** One filter: its menu, and × if anything is chosen. */
function FilterMenu({ name, label, choices, canExclude, placeholder, empty, mayWrite }: FilterMenuProps) {
  const [mode, setMode] = useState<'only' | 'but'>('only')
  const place = useRef<HTMLSpanElement>(null)
  useKeptFocus(place, () => place.current?.querySelector('button'))
  const chosen: readonly string[] = filters.value[name]
  const excluded: readonly string[] = canExclude ? filters.value[`exclude_${name as Excludable}`] : []
  const marked = mode === 'only' ? chosen : excluded
  const choose = (values: readonly string[]) => {
    const others = (mode === 'only' ? excluded : chosen).filter(value => !values.includes(value))
    const [only, but] = mode === 'only' ? [values, others] : [others, values]
    setFilters({ [name]: only, ...(canExclude ? { [`exclude_${name}`]: but } : {}) } as Partial<Filters>)
  }
  // Choices from the address or typed ones can be removed as well.
  const more = marked
    .filter(value => !choices.some(choice => choice.value === value))
    .map(value => ({ value, label: value }))
  const write = (text: string) => mayWrite?.(text) && !marked.includes(text) && choose([...marked, text])
  const words =
    chosen.length === 1
      ? (choices.find(({ value }) => value === chosen[0])?.label ?? chosen[0] ?? '')
      : `${chosen.length} selected`
  const head =
    canExclude && html`<${Segments} legend="Show" isLegendHidden choices=${MODES} value=${mode} onChange=${setMode} />`
  return html`<span ref=${place} class=${chosen.length > 0 ? 'chip-pair' : undefined}>
    <${Choose} label=${label} choices=${[...more, ...choices]} chosen=${marked} isSet=${chosen.length > 0} isMany placeholder=${placeholder}
      empty=${empty} note=${countsNote()} head=${head} onOpen=${() => countValues(name)}
      onChoose=${choose} ...${mayWrite ? { onWrite: write } : {}}
      button=${chosen.length > 0 ? html`<span class="ellipsis">${label}: <${Words} text=${words} limit=${CHIP_LIMIT} /></span>` : undefined} />
    ${
      chosen.length > 0 &&
      html`<button type="button" class="chip is-set" aria-label=${`Clear ${label}`} onClick=${() => setFilters({ [name]: [] } as Partial<Filters>)}>
        <${Glyph} name="close" class="small" />
      </button>`
    }
  </span>`
}

const EXCLUDED = [
  { name: 'source', label: 'Not from' },
  { name: 'outcome', label: 'Not' },
  { name: 'kind', label: 'Not' },
  { name: 'actor', label: 'Not by' },
  { name: 'target', label: 'Not about' },
  { name: 'q', label: 'Without' },
] as const

function ExcludedChips({ name, label }: (typeof EXCLUDED)[number]) {
  const excluded = filters.value[`exclude_${name}`]
  return excluded.map(
    value => html`<${Removable} key=${value} label=${label} value=${valueWords(name, value)} isCode=${name === 'kind' || name === 'target'}
      onRemove=${() => setFilters({ [`exclude_${name}`]: excluded.filter(other => other !== value) })} />`,
  )
}

interface RemovableProps {
  label: string
  value: string
  isCode?: boolean
  onRemove: () => void
}

function Removable({ label, value, isCode, onRemove }: RemovableProps) {
  return html`<button type="button" class="chip is-set" title="Remove" onClick=${onRemove}>
    <span class="ellipsis"><span>${label}:</span> <span class=${isCode ? 'code' : undefined}><${Words} text=${value} limit=${CHIP_LIMIT} /></span></span><${Glyph} name="close" class="small" />
    <span class="visually-hidden">remove</span>
  </button>`
}

/** The values of a filter, with their counts once these are known. */
function withCounts(name: Facet, others: readonly string[] = []): Choice[] {
  const counts = valueCounts(name) ?? []
  const rest = others.filter(other => !counts.some(({ value }) => value === other))
  const all = [...counts, ...rest.map(value => ({ value, count: undefined }))]
  return all.map(choice => ({ ...choice, label: choice.value }))
}

/** Every kind of the ledger, and each object type with all its kinds. */
function kindChoices(): Choice[] {
  const kinds = withCounts('kind', Object.keys(overview.value.value?.stats.by_kind ?? {}))
  const objects = new Map<string, { count: number; kinds: number }>()
  for (const { value, count = 0 } of kinds) {
    const object = value.slice(0, Math.max(0, value.lastIndexOf('.')))
    const known = objects.get(object) ?? { count: 0, kinds: 0 }
    if (object) objects.set(object, { count: known.count + count, kinds: known.kinds + 1 })
  }
  const wide = [...objects]
    .filter(([, { kinds }]) => kinds > 1)
    .map(([object, { count }]) => ({ value: `${object}.*`, label: `${object}.*`, count: count || undefined }))
  return [...wide, ...kinds].sort((a, b) => a.label.localeCompare(b.label)).map(choice => ({ ...choice, isCode: true }))
}

function outcomeChoices(): Choice[] {
  return inOrder(withCounts('outcome', OUTCOMES), OUTCOMES).map(choice => ({
    ...{ ...choice, label: valueWords('outcome', choice.value) },
    glyph: html`<${OutcomeMark} outcome=${choice.value} isQuiet />`,
  }))
}

function subscriptionChoices(): Choice[] {
  const { subscriptions = [] } = overview.value.value ?? {}
  const counts = valueCounts('subscription_id')
  return subscriptions.map(({ id, target }) => ({
    ...{ value: id, label: target ? `${target} (${id})` : id },
    count: counts?.find(({ value }) => value === id)?.count,
  }))
}

function verifiedChoices(): Choice[] {
  return inOrder(withCounts('verified', VERIFIED), VERIFIED).map(choice => ({
    ...{ ...choice, label: capital(verifiedWords(choice.value as Verification)) },
    glyph: html`<${VerifiedMark} verified=${choice.value} />`,
  }))
}

function inOrder(choices: readonly Choice[], order: readonly string[]): Choice[] {
  return choices.toSorted((a, b) => order.indexOf(a.value) - order.indexOf(b.value))
}

let asked: Facet = 'kind'

const counted = createResource<{ of: Facet; found: EventFacets } | undefined>(async signal => {
  const of = asked
  // Without the menu's own filter, so that another value can be chosen.
  const { [of]: _, [`exclude_${of}`]: __, ...query } = apiQuery()
  return { of, found: await api<EventFacets>('/api/facets', { query, signal }) }
})

/** Counts the values of a filter among the events that match all other filters. Called when its menu opens. */
function countValues(of: Facet): void {
  asked = of
  counted.set(undefined)
  void counted.load()
}

/** The counts, most frequent first; undefined until they are known. */
function valueCounts(of: Facet): EventFacets['facets'][Facet] | undefined {
  const { value } = counted.value
  return value?.of === of ? value.found.facets[of] : undefined
}

function countsNote(): string {
  const { value } = counted.value
  if (!value) return counted.problem.value === undefined ? 'Counting…' : 'The counts could not be loaded.'
  const { complete, count: amount } = value.found
  return complete ? 'Counts of events that match the other filters.' : `Counts of the newest ${count(amount)} events.`
}

/** Maximum number of chips. There may be many defined sources; the menu has the rest. */
const MOST_CHIPS = 8

export function knownSources(): string[] {
  const all = new Set([
    ...Object.keys(overview.value.value?.stats.by_source ?? {}),
    ...Object.keys(counts.value.value?.by_source ?? {}),
    ...filters.value.source,
    ...filters.value.exclude_source,
  ])
  return [...all].sort(bySource)
}

/** Matching events of a source; undefined until known. */
export function countOf(source: string): number | undefined {
  const known = counts.value.value
  return known && (known.by_source[source]?.count ?? 0)
}

export function isShown(source: string): boolean {
  const { source: chosen, exclude_source: excluded } = filters.value
  return !excluded.includes(source) && (chosen.length === 0 || chosen.includes(source))
}

/** Adds or removes a source. Selecting all clears the filter. */
export function toggleSource(source: string): void {
  const known = knownSources()
  const shown = known.filter(isShown)
  const next = shown.includes(source) ? shown.filter(other => other !== source) : [...shown, source]
  if (next.length > 0) setSources(next.length === known.length ? [] : next.sort(bySource))
}

function setSources(source: readonly string[]): void {
  setFilters({ source, exclude_source: [] })
}

/** The sources with their counts: the histogram's legend and the source filter. */
export function SourceChips() {
  const { source: chosen } = filters.value
  const known = knownSources()
  const chips = known.filter((source, at) => at < MOST_CHIPS || chosen.includes(source))
  const press = (source: string, event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey) toggleSource(source)
    else setSources(chosen.length === 1 && chosen[0] === source ? [] : [source])
  }
  const choices = known.map(source => ({
    ...{ value: source, label: sourceLabel(source), count: countOf(source) },
    glyph: html`<${SourceGlyph} source=${source} />`,
  }))
  return html`${chips.map(source => {
    const amount = countOf(source)
    return html`<button key=${source} type="button" class=${classes('chip source-chip', !isShown(source) && 'is-out')}
      aria-pressed=${chosen.includes(source)} title=${`${plainText(sourcePlatforms(source))}: only these; with Ctrl or ⌘: add or remove`}
      onClick=${(event: MouseEvent) => press(source, event)}>
      <${SourceGlyph} source=${source} /><span class="ellipsis"><${Words} text=${sourceLabel(source)} limit=${200} /></span>
      ${amount !== undefined && html`<span class="count">${count(amount)}</span>`}
    </button>`
  })}
  ${
    known.length > 1 &&
    html`<${Choose} label="Sources" button=${html`<span class="visually-hidden">Sources</span>`} buttonClass="source-menu" isMany
      choices=${choices} chosen=${chosen} onChoose=${(source: readonly string[]) => setSources(source.length === known.length ? [] : source)} />`
  }`
}
