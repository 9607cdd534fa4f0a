import { useEffect, useState } from 'preact/hooks'
import { count } from '#model/counted'
import { verifiedWords } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { api } from '../../../shared/server/api.js'
import { Words } from '../../../shared/words/text-view.js'
import { sourceLabel } from '../../overview.js'
import { countFilters, type Filters, NO_FILTERS, toApiQuery, withChange } from './filter-params.js'
import { clearFilters, setFilters } from './filters.js'
import { DEFAULT_DAYS, relativeWords } from './relative-range.js'

interface Widening {
  words: string
  change: Partial<Filters>
  count: number
}

/** Longer ranges, in days. The server's maximum covers practically everything. */
const LONGER: readonly { days: number; words: string }[] = [
  { days: 3, words: 'Search 3 days' },
  { days: 7, words: 'Search 7 days' },
  { days: 30, words: 'Search 30 days' },
  { days: 3650, words: 'Search everything' },
]
const OFFERED = 2

/**
 * Shown instead of rows if nothing matches: the current filters, and changes that would find events.
 *
 * @param asked the filters that have no matches; other filters may be loading
 */
export function NothingMatches({ asked }: { asked: Filters }) {
  const { q } = asked
  const [widenings, setWidenings] = useState<readonly Widening[]>([])
  useEffect(() => {
    const leave = new AbortController()
    setWidenings([])
    findWidenings(asked, leave.signal).then(setWidenings, () => {
      // A failure is ignored: the suggestions are optional, and the search itself succeeded.
    })
    return () => leave.abort()
  }, [asked])
  return html`<section class="events-blank" aria-label="Nothing matches">
    <div class="empty-state stack" role="status">
      <h2>${q === '' ? 'No event matches' : html`No event matches “<${Words} text=${q} limit=${80} />”`}</h2>
      <p class="quiet-text">Searched <${Words} text=${filterWords(asked)} limit=${400} />. ${/\s/.test(q.trim()) && 'All words must occur.'}</p>
      <div class="buttons">
        ${widenings.map(
          ({ words, change, count: found }) =>
            html`<button type="button" class="button" onClick=${() => setFilters(change)}>
              <span class="ellipsis"><${Words} text=${words} limit=${60} />, ${count(found)} ${found === 1 ? 'matches' : 'match'}</span>
            </button>`,
        )}
        ${countFilters(asked) > 0 && html`<button type="button" class="button quiet" onClick=${clearFilters}>Clear all</button>`}
      </div>
    </div>
  </section>`
}

async function findWidenings(current: Filters, signal: AbortSignal): Promise<Widening[]> {
  const isCustom = current.from !== '' || current.to !== '' || current.last !== ''
  const longer = LONGER.filter(({ days }) => isCustom || days > (current.days ?? DEFAULT_DAYS))
  const candidates = [
    ...longer.map(({ days, words }) => ({ words, change: { days } })),
    ...droppable(current).map(({ name, words }) => ({ words: `Drop ${words}`, change: { [name]: NO_FILTERS[name] } })),
  ]
  const found = await Promise.all(
    candidates.map(async candidate => {
      const query = { ...toApiQuery(withChange(current, candidate.change)), buckets: 1 }
      const { count } = await api<{ count: number }>('/api/histogram', { query, signal })
      return { ...candidate, count }
    }),
  )
  const some = found.filter(({ count }) => count > 0)
  // Offering one longer range and one removed filter is better than two changes of the same kind.
  const back = some.find(({ change }) => 'days' in change)
  const less = some.find(({ change }) => !('days' in change))
  return [back, less, ...some]
    .filter((one, at, all) => one !== undefined && all.indexOf(one) === at)
    .slice(0, OFFERED) as Widening[]
}

type FilterName = keyof typeof NO_FILTERS

function droppable(current: Filters): { name: FilterName; words: string }[] {
  const words = namedFilters(current)
  return (Object.keys(words) as FilterName[]).flatMap(name =>
    words[name] ? [{ name, words: `“${words[name]}”` }] : [],
  )
}

/** The filters in words, without the search terms: `the last 24 hours in chat, not verified`. */
function filterWords(current: Filters): string {
  const words = relativeWords(current)
  const range = current.from || current.to ? 'the range' : words.startsWith('last') ? `the ${words}` : words
  const { q: _q, source, ...others } = namedFilters(current)
  return [source ? `${range} in ${source}` : range, ...Object.values(others).filter(Boolean)].join(', ')
}

function namedFilters(current: Filters): Record<FilterName, string> {
  const words = (name: FilterName) => {
    const values = [current[name]].flat().filter(value => value !== '')
    const shown = name.endsWith('source') ? values.map(sourceLabel) : values
    const not = name === 'exclude_q' ? 'without ' : name.startsWith('exclude_') ? 'not ' : ''
    return shown.length > 0 ? `${not}${shown.join(' or ')}` : ''
  }
  const names = Object.keys(NO_FILTERS) as FilterName[]
  const named = Object.fromEntries(names.map(name => [name, words(name)])) as Record<FilterName, string>
  return { ...named, verified: current.verified.map(verifiedWords).join(' or ') }
}
