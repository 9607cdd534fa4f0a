import { useId, useMemo, useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import { href } from '../../../shared/address.js'
import { CopyButton, copyWithToast } from '../../../shared/controls/copy.js'
import { type MenuItem, MenuList } from '../../../shared/controls/menu.js'
import { LoadProblem } from '../../../shared/controls/note.js'
import { classes, html } from '../../../shared/html.js'
import { isWide } from '../../../shared/media.js'
import { apiResponse, segment, useResource } from '../../../shared/server/api.js'
import { bytes, plainText } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { eventKey } from '../event-words.js'
import { type Excludable, type Filters, MOST_EXCLUDED_SEARCHES } from '../filters/filter-params.js'
import { filters, filtersQuery } from '../filters/filters.js'
import { valueItems } from '../filters/value-menu.js'
import type { EntryProps } from './entry-card.js'
import { hasRounded, isRounded, type JsonRow, jsonPreview, jsonRows, MEMBERS, pathsToMatches } from './json-rows.js'

const STRING_LIMIT = 500
const NAME_LIMIT = 200
/** Members in which the server searches texts. It finds no numbers. */
const SEARCHED = /^\/(?:payload|actor|conversation)\//
/** Members that have their own filters. */
const FILTERS: readonly (readonly [Excludable, RegExp])[] = [
  ['kind', /^\/kind$/],
  ['source', /^\/source$/],
  ['actor', /^\/actor\/(?:id|display)$/],
  ['target', /^\/target(?:\/parent)*\/key$/],
]
const LONGEST_WORDS = 200
const SHOWN_WORDS = 60
/** Deeper lines are not indented further. */
const DEEPEST_INDENT = 8
const INDENT_PX = 12

interface JsonTreeProps {
  value: unknown
  label: string
  terms: readonly string[]
  /** Pointers unfolded initially, in addition to the first level. */
  open: ReadonlySet<string>
}

/**
 * A JSON tree, folded below the first level. One tab stop: up and down move, right and left unfold and fold. Enter does
 * either, and shows the rest of a long value.
 */
function JsonTree({ value, label, terms, open }: JsonTreeProps) {
  const id = useId()
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map())
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState(0)
  const tree = useRef<HTMLDivElement>(null)
  const rows = useMemo(
    () =>
      jsonRows(value, {
        isOpen: path => folds.get(path) ?? (path === '' || open.has(path)),
        shown: path => shown.get(path) ?? MEMBERS,
      }),
    [value, folds, shown, open],
  )
  const here = Math.min(at, rows.length - 1)
  const [chosen, choose] = useState<{ items: readonly MenuItem[]; line: HTMLElement } | undefined>(undefined)
  const onClose = () => choose(undefined)

  /** Opens the menu of the value at the pointer; for the keyboard, of the active line. */
  const offer = (event: MouseEvent) => {
    const lines = [...(tree.current?.children ?? [])] as HTMLElement[]
    const line = lines.find(line => event.target instanceof Node && line.contains(event.target)) ?? lines[here]
    const row = line && rows[lines.indexOf(line)]
    const items = row ? itemsOf(row) : []
    if (!line || items.length === 0 || getSelection()?.isCollapsed === false) return
    event.preventDefault()
    choose({ items, line })
  }
  const onDone = () => {
    onClose()
    tree.current?.focus()
  }
  const fold = (path: string, isOpen: boolean) => setFolds(new Map(folds).set(path, isOpen))
  const act = (row: JsonRow) => {
    if (row.kind === 'more') setShown(new Map(shown).set(row.path, (shown.get(row.path) ?? MEMBERS) + 10 * MEMBERS))
    else if (row.isOpen !== undefined) fold(row.path, !row.isOpen)
    else if (row.kind === 'string') setWhole(new Set(whole).add(row.path))
  }
  const go = (to: number) => {
    const step = to < here ? -1 : 1
    let next = to
    while (rows[next]?.kind === 'end') next += step
    if (!rows[next]) return
    setAt(next)
    tree.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  const press = (event: KeyboardEvent) => {
    const row = rows[here]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown') go(here + 1)
    else if (event.key === 'ArrowUp') go(here - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(rows.length - 1)
    else if (event.key === 'Enter' || event.key === ' ') act(row)
    else if (event.key === 'ArrowRight') row.isOpen === false ? fold(row.path, true) : row.isOpen && go(here + 1)
    else if (event.key === 'ArrowLeft') row.isOpen ? fold(row.path, false) : go(parentOf(rows, here))
    else return
    event.preventDefault()
  }

  return html`<div ref=${tree} class="json box code" role="tree" aria-label=${label} tabindex="0"
    aria-activedescendant=${`${id}-${here}`} onKeyDown=${press} onContextMenu=${offer}>
    ${rows.map((row, index) =>
      row.kind === 'end'
        ? html`<div key=${`${row.path}/end`} role="none" class="json-row" style=${indent(row)}>${Array.isArray(row.value) ? ']' : '}'}</div>`
        : html`<div key=${`${row.path}${row.kind === 'more' ? '/more' : ''}`} id=${`${id}-${index}`} role="treeitem" aria-level=${row.depth + 1}
          aria-expanded=${row.isOpen} aria-selected=${index === here}
          style=${indent(row)} class=${classes('json-row', index === here && 'is-active', row.isOpen !== undefined && 'is-fold')}
          onClick=${() => {
            setAt(index)
            // The user has selected text to copy.
            if (getSelection()?.isCollapsed !== false && row.kind !== 'string') act(row)
          }}>
          <${Line} row=${row} terms=${terms} isWhole=${whole.has(row.path)} onWhole=${() => act(row)} />
        </div>`,
    )}
  </div>
  ${chosen && html`<${MenuList} id=${`${id}-menu`} opener=${{ current: chosen.line }} items=${chosen.items} onClose=${onClose} onDone=${onDone} />`}`
}

/** Items to filter for a value or exclude it, if the API can, and to copy it, unless it differs from what was sent. */
function itemsOf({ kind, path, value }: JsonRow): MenuItem[] {
  if (!['string', 'number', 'literal'].includes(kind) || isRounded(value)) return []
  const text = String(value)
  const [name] = FILTERS.find(([, pattern]) => pattern.test(path)) ?? []
  return [
    ...(name ? valueItems({ name, value: text, words: text }) : kind === 'string' ? searchItems(path, text) : []),
    { label: 'Copy', glyph: 'copy', onChoose: () => void copyWithToast(text, 'Copied.') },
  ]
}

function searchItems(path: string, text: string): MenuItem[] {
  if (!SEARCHED.test(path)) return []
  const { q, exclude_q, event } = filters.value
  // A phrase ends at a quote, so a text with quotes has several.
  const parts = text
    .slice(0, LONGEST_WORDS)
    .split('"')
    .filter(part => part.trim() !== '')
  if (parts.length === 0) return []
  const phrases = parts.map(part => `"${part}"`).join(' ')
  const words = `“${plainText(text, SHOWN_WORDS)}”`
  const link = (change: Partial<Filters>) => href('/', filtersQuery({ ...change, event: isWide.value ? event : '' }))
  const without: MenuItem = {
    label: `Events without ${words}`,
    glyph: 'close',
    href: link({ exclude_q: [...exclude_q, phrases] }),
  }
  return [
    { label: `Only events with ${words}`, glyph: 'filter', href: link({ q: `${q} ${phrases}`.trim() }) },
    ...(exclude_q.length < MOST_EXCLUDED_SEARCHES ? [without] : []),
  ]
}

interface LineProps {
  row: JsonRow
  terms: readonly string[]
  isWhole: boolean
  onWhole: () => void
}

function Line({ row, terms, isWhole, onWhole }: LineProps) {
  const { kind, name, value, isOpen, left = 0 } = row
  if (kind === 'more')
    return html`<span class="json-more is-accent">${count(left)} more, show ${count(Math.min(left, 10 * MEMBERS))}</span>`
  return html`<span class="json-sign" aria-hidden="true">${isOpen === undefined ? '' : isOpen ? '▾' : '▸'}</span>${
    name !== undefined &&
    html`<span class="json-name"><${Words} text=${name} terms=${terms} limit=${NAME_LIMIT} /></span>: `
  }${
    kind === 'string'
      ? html`<${Text} text=${value} terms=${terms} isWhole=${isWhole} onWhole=${onWhole} />`
      : kind === 'object' || kind === 'array'
        ? isOpen
          ? kind === 'array'
            ? '['
            : '{'
          : html`<span class="quiet-text"><${Words} text=${jsonPreview(value as object)} terms=${terms} limit=${NAME_LIMIT} /></span>`
        : html`<span class="is-accent">${String(value)}</span>${isRounded(value) && html` <span class="tag">rounded, see Raw</span>`}`
  }`
}

function Text({ text, terms, isWhole, onWhole }: Omit<LineProps, 'row'> & { text: string }) {
  // Escaped as in JSON. Of a long string, only the shown part is escaped.
  const isLong = !isWhole && text.length > STRING_LIMIT
  const limit = isWhole ? text.length * 6 + 2 : STRING_LIMIT
  const shown = JSON.stringify(isLong ? text.slice(0, STRING_LIMIT) : text)
  return html`<span class="is-ok"><${Words} text=${isLong ? shown.slice(0, -1) : shown} terms=${terms} limit=${Math.max(limit, shown.length)} />${isLong && '…'}</span>${
    isLong &&
    html` <button type="button" class="link" tabindex="-1" onClick=${onWhole}>Show all ${count(text.length)} characters</button>`
  }`
}

function indent({ depth }: JsonRow) {
  return { marginInlineStart: `${Math.min(depth, DEEPEST_INDENT) * INDENT_PX}px` }
}

function parentOf(rows: readonly JsonRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0
  const above = rows.slice(0, at).findLastIndex(row => row.depth < depth && row.kind !== 'end')
  return Math.max(0, above)
}

const RAW_LIMIT = 20_000

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
