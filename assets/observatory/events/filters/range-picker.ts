import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Segments } from '../../../shared/controls/segments.js'
import { html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { dateWords, shortTime, toMs } from '../../../shared/words/time.js'
import { DEFAULT_DAYS } from './filter-params.js'
import { filters, rangeOf, setFilters } from './filters.js'

/** Ranges with a shortcut or button, in days. */
export const PRESETS = [1, 3, 7, 30] as const

export type RangeChoice = `${(typeof PRESETS)[number]}` | 'custom'

export interface RangePickerProps {
  isCustom: boolean
  onCustom: (isCustom: boolean) => void
}

/** Presets and a custom range, whose button shows the range once chosen. */
export function RangePicker({ isCustom, onCustom }: RangePickerProps) {
  const { days, from, to } = filters.value
  const preset = PRESETS.find(preset => preset === (days ?? DEFAULT_DAYS))
  const isOwn = isCustom || from !== '' || to !== '' || preset === undefined
  const choices: { value: RangeChoice; label: string }[] = [
    ...PRESETS.map(preset => ({ value: `${preset}` as const, label: preset === 1 ? '24h' : `${preset}d` })),
    { value: 'custom', label: customWords() },
  ]
  const choose = (choice: RangeChoice) => {
    onCustom(choice === 'custom')
    if (choice !== 'custom') chooseDays(Number(choice))
  }
  return html`<${Segments} legend="Range" isLegendHidden choices=${choices} value=${isOwn ? 'custom' : `${preset}`} onChange=${choose} />`
}

/** The default is not written to the address. */
export function chooseDays(days: number): void {
  setFilters({ days: days === DEFAULT_DAYS ? undefined : days, from: '', to: '' })
}

function customWords(): string {
  const { days, from, to } = filters.value
  if (from === '' && to === '')
    return days === undefined || PRESETS.some(preset => preset === days) ? 'Custom' : `${days}d`
  const present = now.value
  const words = (instant: string) => `${dateWords(instant, present)} ${shortTime(instant)}`
  return `${from === '' ? 'Beginning' : words(from)} – ${to === '' ? 'now' : words(to)}`
}

/** Two instants, in the device's time zone. */
export function CustomRange({ onClose }: { onClose: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  useFocusWithin(form)
  const range = rangeOf(now.peek())
  const [from, setFrom] = useState(range.from === undefined ? '' : toField(range.from))
  const [to, setTo] = useState(range.isOpen ? '' : toField(range.to))
  const isBackwards = from !== '' && to !== '' && from > to
  const show = (event: Event) => {
    event.preventDefault()
    if (isBackwards || (from === '' && to === '')) return
    setFilters({ from: toInstant(from), to: toInstant(to) })
    onClose()
  }
  return html`<form ref=${form} class="events-range" onSubmit=${show} onKeyDown=${(event: KeyboardEvent) => event.key === 'Escape' && onClose()}>
    <label>From <input class="field" type="datetime-local" step="1" max="9999-12-31T23:59:59" value=${from}
      onInput=${(event: InputEvent) => setFrom((event.target as HTMLInputElement).value)} /></label>
    <label>To <input class="field" type="datetime-local" step="1" max="9999-12-31T23:59:59" value=${to} aria-describedby="range-zone"
      onInput=${(event: InputEvent) => setTo((event.target as HTMLInputElement).value)} /></label>
    <span class="hint" id="range-zone">${zoneWords()}. Empty means from the first event, until now.</span>
    <button type="submit" class="button" disabled=${isBackwards || (from === '' && to === '')}>Show</button>
    <button type="button" class="button quiet" onClick=${onClose}>Close</button>
    ${isBackwards && html`<span class="field-problem" role="alert">The end must be after the start.</span>`}
  </form>`
}

/**
 * Opened by its shortcut, it takes the focus; opened by moving through the radio buttons, it does not. A closing form
 * has no focus to keep.
 */
function useFocusWithin(form: { current: HTMLFormElement | null }): void {
  useLayoutEffect(() => {
    const { current: element } = form
    const before = document.activeElement
    if (!before?.matches('[type=radio]')) element?.querySelector('input')?.focus()
    return () => {
      if (before instanceof HTMLElement && element?.contains(document.activeElement)) before.focus()
    }
  }, [form])
}

function zoneWords(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const offset = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' })
    .formatToParts()
    .find(part => part.type === 'timeZoneName')
  return [timeZone, offset?.value].filter((word, at, all) => word && all.indexOf(word) === at).join(', ')
}

/** Local, to the second: `2026-11-20T14:31:58`. */
function toField(instant: string): string {
  const local = new Date(toMs(instant))
  local.setMinutes(local.getMinutes() - local.getTimezoneOffset())
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 19)
}

function toInstant(field: string): string {
  const at = new Date(field)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}
