import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { count } from '#model/counted'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { findMatches } from '../../shared/words/text.js'
import { MOST_LINES } from './log-lines.js'

interface LogFindProps {
  box: RefObject<HTMLElement>
  /** Changes with the lines in the box. */
  changes: number
  /** Called before the box scrolls to a line. */
  onShow: () => void
}

/** Name of the marks in the style sheet: `::highlight(log-found)`. */
const MARKS = 'log-found'
/** Further matches are counted, not marked. */
const MOST_MARKS = 5_000

/** Finds text in the lines of a log: counts the lines that contain it, marks it, and steps through them. */
export function LogFind({ box, changes, onShow }: LogFindProps) {
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<readonly Element[]>([])
  const [current, setCurrent] = useState<Element | undefined>(undefined)
  const last = useRef<Element | undefined>(undefined)
  useLayoutEffect(() => {
    const rows = markIn(typed === '' ? null : box.current, typed)
    setFound(rows)
    if (last.current && rows.includes(last.current)) return
    const top = box.current?.getBoundingClientRect().top ?? 0
    show(rows.find(row => row.getBoundingClientRect().top >= top) ?? rows.at(-1))
  }, [typed, changes])
  useEffect(() => () => void markIn(null, ''), [])

  const show = (row: Element | undefined) => {
    last.current?.classList.remove('is-found')
    last.current = row
    setCurrent(row)
    if (!row || !box.current) return
    row.classList.add('is-found')
    onShow()
    const { top, height } = box.current.getBoundingClientRect()
    box.current.scrollBy({ top: row.getBoundingClientRect().top - top - height / 2 })
  }
  const at = current ? found.indexOf(current) : -1
  const step = (by: 1 | -1) => {
    if (found.length > 0) show(found[(at + by + found.length) % found.length])
  }
  const isCut = (box.current?.childElementCount ?? 0) >= MOST_LINES
  return html`<search class="log-find row wrap">
    <div class="inset-field search-field">
      <${Glyph} name="search" />
      <input class="field" type="search" aria-label="Find in the log" placeholder="Find in the log" maxlength="200" value=${typed}
        onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)}
        onKeyDown=${(event: KeyboardEvent) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
          if (event.key !== 'Escape' || typed === '') return
          event.stopPropagation()
          setTyped('')
        }} />
    </div>
    ${
      typed !== '' &&
      html`<span class="quiet-text" role="status">${found.length === 0 ? 'No line' : `${count(at + 1)} of ${count(found.length)}`}${isCut && ` in the last ${count(MOST_LINES)} lines`}</span>
      <button type="button" class="button quiet icon" aria-label="Previous line found" title="Shift Enter" aria-disabled=${found.length === 0 || undefined} onClick=${() => step(-1)}><${Glyph} name="arrow-up" /></button>
      <button type="button" class="button quiet icon" aria-label="Next line found" title="Enter" aria-disabled=${found.length === 0 || undefined} onClick=${() => step(1)}><${Glyph} name="arrow-down" /></button>`
    }
  </search>`
}

/** Marks the words in the rows that contain them, and removes all other marks. @returns these rows */
function markIn(box: HTMLElement | null, words: string): Element[] {
  const marks: Range[] = []
  const rows = [...(box?.children ?? [])].filter(row => {
    const text = row.lastElementChild?.firstChild
    const matches = text ? findMatches(text.textContent ?? '', [words]) : []
    for (const [from, to] of marks.length < MOST_MARKS ? matches : []) {
      const mark = new Range()
      mark.setStart(text as Node, from)
      mark.setEnd(text as Node, to)
      marks.push(mark)
    }
    return matches.length > 0
  })
  if ('highlights' in CSS) CSS.highlights.set(MARKS, new Highlight(...marks))
  return rows
}
