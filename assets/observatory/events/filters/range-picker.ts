import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { appearance, setAppearance } from '../../../shared/appearance.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { type ShownPopover, useOpener, usePopover } from '../../../shared/controls/popover.js'
import { Switch } from '../../../shared/controls/switch.js'
import { html } from '../../../shared/html.js'
import { useKeys } from '../../../shared/keys/keys.js'
import { now } from '../../../shared/words/now.js'
import { capital } from '../../../shared/words/text.js'
import { clockTime, DEVICE_ZONE, dayOf, fromMs, toMs } from '../../../shared/words/time.js'
import { spanWords } from '../histogram/histogram-scale.js'
import type { RangeFilters } from './filter-params.js'
import { filters, rangeOf, setRange } from './filters.js'
import { DEFAULT_DAYS, relativeWords } from './relative-range.js'
import { zoomOut } from './time-range.js'
import { readRange } from './typed-range.js'

/** Ranges with a button, and a digit as shortcut. */
const PRESETS: readonly Partial<RangeFilters>[] = [
  ...[{ last: '15m' }, { last: '1h' }, { last: '6h' }],
  ...[{ days: 1 }, { days: 3 }, { days: 7 }, { days: 30 }],
  ...[{ last: 'today' }, { last: 'yesterday' }],
]

/** The range as a button that opens its presets and fields, and the button that widens it. */
export function RangePicker() {
  const { isShown, setShown, attributes, shown } = useOpener()
  useKeys('Events', [
    ...PRESETS.map((preset, at) => ({
      ...{ keys: `${at + 1}`, does: relativeWords(preset) },
      run: () => {
        setShown(false)
        setRange(preset)
      },
    })),
    { keys: '0', does: 'another range', run: () => setShown(true) },
    { keys: '-', does: 'zoom out', run: () => zoomOut() },
  ])
  return html`<span class="chip-pair range-picker">
    <button ...${attributes} class="button" aria-haspopup="dialog" onClick=${() => setShown(!isShown)}>
      <${Glyph} name="clock" /><span class="visually-hidden">Range: </span>${capital(rangeWords())}<${Glyph} name="chevron-down" class="small" />
    </button>
    <button type="button" class="button icon" aria-label="Zoom out" title="Zoom out (-)" onClick=${() => zoomOut()}><${Glyph} name="zoom-out" /></button>
    ${isShown && html`<${RangePopover} ...${shown} />`}
  </span>`
}

function RangePopover({ id, opener, onClose }: ShownPopover) {
  const popover = useRef<HTMLDivElement>(null)
  const before = useRef(opener.current)
  usePopover(popover, opener, onClose)
  useLayoutEffect(() => {
    // The shortcut may open the picker from anywhere.
    const { activeElement } = document
    if (activeElement instanceof HTMLElement && activeElement !== document.body) before.current = activeElement
    popover.current?.querySelector('input')?.select()
  }, [])
  const onDone = () => {
    onClose()
    before.current?.focus()
  }
  return html`<div ref=${popover} id=${id} class="menu range-menu" popover="manual" role="dialog" aria-label="Range"
    onKeyDown=${(event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      onDone()
    }}
    onFocusOut=${({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Node && !popover.current?.contains(relatedTarget)) onClose()
    }}><${RangeForm} onDone=${onDone} /></div>`
}

/** Presets, a range in words, and its ends in fields of 24 hours. */
export function RangeForm({ onDone }: { onDone: () => void }) {
  const id = useId()
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const text = typed ?? shownText()
  const range = typed === undefined ? filters.value : readRange(typed, { now: now.value })
  const [problem, setProblem] = useState(false)
  const show = (event: Event) => {
    event.preventDefault()
    setProblem(!range)
    if (!range) return
    if (typed !== undefined) setRange(range)
    onDone()
  }
  // While the range cannot be read, its ends stay as they were, or as they are typed.
  const ends = useRef<[string, string]>(['', ''])
  if (range) ends.current = endsOf(range)
  const field = (label: string, end: 0 | 1) => {
    const [date = '', time = ''] = ends.current[end].split(' ')
    const change = (part: (value: string) => string) => (event: Event) => {
      ends.current[end] = part((event.target as HTMLInputElement).value)
      setTyped(endsText(ends.current))
    }
    return html`<fieldset class="range-end row"><legend>${label}</legend>
      <input class="field" type="date" max="9999-12-31" aria-label=${`${label}: day`} value=${date} onChange=${change(value => `${value} ${time}`)} />
      <input class="field" inputmode="numeric" placeholder="14:00" autocomplete="off" aria-label=${`${label}: time, 24 hours`} value=${time}
        onChange=${change(value => `${date} ${value}`)} />
    </fieldset>`
  }
  const { utc } = appearance.value
  const isWrong = problem && !range
  return html`<form class="range-form" onSubmit=${show}>
    <label class="field-label" for=${id}>Range</label>
    <input id=${id} class="field" autocomplete="off" spellcheck="false" value=${text} aria-describedby=${`${id}-hint`}
      aria-invalid=${isWrong} onInput=${(event: InputEvent) => setTyped((event.target as HTMLInputElement).value)} />
    <p id=${`${id}-hint`} class=${isWrong ? 'field-problem' : 'field-hint'} role=${isWrong ? 'alert' : undefined}>
      ${isWrong && 'This is not a range. '}Examples: yesterday 14:00–15:00, 2026-11-20 14:00 to 15:30, last 3 hours, since 9:00.</p>
    <div class="chips" role="group" aria-label="Presets">
      ${PRESETS.map(
        preset =>
          html`<button type="button" class="chip" aria-pressed=${isCurrent(preset)} onClick=${() => {
            setTyped(undefined)
            setRange(preset)
            onDone()
          }}>${capital(relativeWords(preset)).replace(/^Last (?=\d)/, '')}</button>`,
      )}
    </div>
    <div class="range-ends stack">${field('From', 0)}${field('To', 1)}</div>
    <div class="range-foot row">
      <${Switch} label="UTC" isOn=${utc} note=${utc ? undefined : DEVICE_ZONE} onChange=${(isOn: boolean) => setAppearance({ utc: isOn })} />
      <button type="submit" class="button primary">Show</button>
    </div>
  </form>`
}

/** `last 24 hours`, `Fri 13:00 – 13:15`, `since Fri 13:00` */
function rangeWords(): string {
  const { from, to } = filters.value
  if (from === '' && to === '') return relativeWords(filters.value)
  const end = to === '' ? now.value : toMs(to) + 1
  const words = spanWords({ from: from === '' ? 0 : toMs(from), to: end }, now.value)
  return to === '' ? `since ${words.split(' – ')[0]}` : from === '' ? `until ${words.split(' – ')[1] ?? words}` : words
}

/** The current range as a text that `readRange` accepts. */
function shownText(): string {
  const { from, to } = filters.value
  return from === '' && to === '' ? relativeWords(filters.value) : endsText(endsOf(filters.value))
}

function endsText(ends: [string, string]): string {
  const [begin, end] = ends.map(end => end.trim())
  return `${begin && `since ${begin}`}${end && ` to ${end}`}`.trim()
}

/** `2026-11-20 14:31:58`; the end is not included. An open end is empty. */
function endsOf(range: Partial<RangeFilters>): [string, string] {
  const { from, to, isOpen } = rangeOf(now.value, range)
  const written = (instant: string) => `${dayOf(instant)} ${clockTime(instant).replace(/:00$/, '')}`
  return [from === undefined ? '' : written(from), isOpen ? '' : written(fromMs(toMs(to) + 1))]
}

function isCurrent({ last, days }: Partial<RangeFilters>): boolean {
  const { from, to, ...current } = filters.value
  if (from !== '' || to !== '') return false
  return last ? current.last === last : current.last === '' && (current.days ?? DEFAULT_DAYS) === days
}
