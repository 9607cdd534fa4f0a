import { computed } from '@preact/signals'
import type { Verification } from '#model/events/event'
import { type Choice, Choose } from '../../../shared/controls/choose.js'
import { Glyph, VerifiedMark, verifiedWords } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { Words } from '../../../shared/words/text-view.js'
import { overview } from '../../overview.js'
import { loaded } from '../list/event-list-state.js'
import { type Filters, VERIFIED } from './filter-params.js'
import { clearFilters, filters, hasFilters, setFilters } from './filters.js'

/** Newest events whose people are offered as choices. */
const MOST_LOOKED_AT = 2_000
const CHIP_LIMIT = 200
/** Maximum remembered people; others can be typed. */
const MOST_PEOPLE = 1_000

type ListFilter = 'kind' | 'subscription_id' | 'actor' | 'verified'

/** Menus of all filters, each with its current choices. */
export function FilterMenus({ hasClear = true }: { hasClear?: boolean }) {
  const { target, subject_id } = filters.value
  return html`
    <${FilterMenu} name="kind" label="Kind" choices=${kindChoices()} placeholder="Find or type message.*"
      note="Counts include the whole ledger."
      mayWrite=${(kind: string) => !/\*(?!$)|[^.]\*$/.test(kind) || kind === '*'} />
    <${FilterMenu} name="subscription_id" label="Subscription" choices=${subscriptionChoices()} empty="No subscription of that name." />
    <${FilterMenu} name="actor" label="Who" choices=${actors.value} placeholder="Find or type a name" mayWrite=${() => true}
      note="From the loaded events. Type any other name." />
    <${FilterMenu} name="verified" label="Verified" choices=${VERIFIED.map(verifiedChoice)} />
    ${target !== '' && html`<${Removable} label="About" value=${target} onRemove=${() => setFilters({ target: '' })} />`}
    ${subject_id !== '' && html`<${Removable} label="Subject" value=${subject_id} onRemove=${() => setFilters({ subject_id: '' })} />`}
    ${hasClear && hasFilters() && html`<button type="button" class="button quiet small accent" onClick=${clearFilters}>Clear all</button>`}`
}

interface FilterMenuProps {
  name: ListFilter
  label: string
  choices: readonly Choice[]
  placeholder?: string
  empty?: string
  note?: string
  /** Whether a typed word may become a choice. */
  mayWrite?: (text: string) => boolean
}

/** One filter: its menu, and × if anything is chosen. */
function FilterMenu({ name, label, choices, placeholder, empty, note, mayWrite }: FilterMenuProps) {
  const chosen: readonly string[] = filters.value[name]
  const choose = (values: readonly string[]) => setFilters({ [name]: values } as Partial<Filters>)
  // Choices from the address or typed ones can be removed as well.
  const more = chosen
    .filter(value => !choices.some(choice => choice.value === value))
    .map(value => ({ value, label: value }))
  const write = (text: string) => mayWrite?.(text) && !chosen.includes(text) && choose([...chosen, text])
  const words =
    chosen.length === 1
      ? ([...more, ...choices].find(({ value }) => value === chosen[0])?.label ?? '')
      : `${chosen.length} chosen`
  return html`<span class=${chosen.length > 0 ? 'chip-pair' : undefined}>
    <${Choose} label=${label} choices=${[...more, ...choices]} chosen=${chosen} isMany placeholder=${placeholder} empty=${empty} note=${note}
      onChoose=${choose} ...${mayWrite ? { onWrite: write } : {}}
      button=${chosen.length > 0 ? html`<span class="ellipsis">${label}: <${Words} text=${words} limit=${CHIP_LIMIT} /></span>` : undefined} />
    ${
      chosen.length > 0 &&
      html`<button type="button" class="chip is-set" aria-label=${`Clear ${label}`} onClick=${() => choose([])}>
        <${Glyph} name="close" class="small" />
      </button>`
    }
  </span>`
}

function Removable({ label, value, onRemove }: { label: string; value: string; onRemove: () => void }) {
  return html`<button type="button" class="chip is-set" title="Remove" onClick=${onRemove}>
    <span class="ellipsis"><span>${label}:</span> <span class="code"><${Words} text=${value} limit=${CHIP_LIMIT} /></span></span><${Glyph} name="close" class="small" />
    <span class="visually-hidden">remove</span>
  </button>`
}

/** Every kind of the ledger, and each object type with all its kinds. Counts are those of the whole ledger. */
function kindChoices(): Choice[] {
  const byKind = Object.entries(overview.value.value?.stats.by_kind ?? {})
  const objects = new Map<string, { count: number; kinds: number }>()
  for (const [kind, count] of byKind) {
    const object = kind.slice(0, Math.max(0, kind.lastIndexOf('.')))
    const known = objects.get(object) ?? { count: 0, kinds: 0 }
    if (object) objects.set(object, { count: known.count + count, kinds: known.kinds + 1 })
  }
  const wide = [...objects]
    .filter(([, { kinds }]) => kinds > 1)
    .map(([object, { count }]) => [`${object}.*`, count] as const)
  return [...wide, ...byKind]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, count]) => ({ value: kind, label: kind, count, isCode: true }))
}

function subscriptionChoices(): Choice[] {
  const { subscriptions = [] } = overview.value.value ?? {}
  return subscriptions.map(({ id, target }) => ({ value: id, label: target ? `${target} (${id})` : id }))
}

/**
 * People seen in this visit's lists, most frequent first; others can be typed. They keep their order: with one of them
 * chosen the list contains no other person, and no second could be added.
 */
let people: readonly string[] = []

const actors = computed((): Choice[] => {
  const seen = new Map<string, number>()
  for (const { actor } of loaded.value.items.slice(0, MOST_LOOKED_AT)) {
    const name = actor.display || actor.id
    if (name) seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  for (const name of people) seen.delete(name)
  const added = [...seen].sort((a, b) => b[1] - a[1]).map(([name]) => name)
  people = [...people, ...added].slice(0, MOST_PEOPLE)
  return people.map(name => ({ value: name, label: name }))
})

function verifiedChoice(verified: Verification): Choice {
  const words = verifiedWords(verified)
  return {
    ...{ value: verified, label: `${words.charAt(0).toUpperCase()}${words.slice(1)}` },
    glyph: html`<${VerifiedMark} verified=${verified} />`,
  }
}
