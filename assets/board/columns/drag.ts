import { type ReadonlySignal, signal } from '@preact/signals'
import type { Card } from '#model/board/card'

interface Drag {
  card: Card
  width: number
  height: number
  /** Drop position: index among visible cards, not counting the dragged one. */
  target: { column: string; index: number }
}

const FROM_PIXELS = 5
const EDGE_PIXELS = 48
const SCROLL_PIXELS = 9

const current = signal<Drag | undefined>(undefined)
const point = signal({ x: 0, y: 0 })

export const drag: ReadonlySignal<Drag | undefined> = current
export const dragPoint: ReadonlySignal<{ x: number; y: number }> = point

interface DragOptions {
  card: Card
  from: { column: string; index: number }
  /** The element that contains the columns: `[data-column]`, with cards `.card-place`. */
  board: HTMLElement
  onDrop: (target: Drag['target']) => void
}

/**
 * Drags a card with mouse or pen from the pressed point, once the pointer has moved a little; Esc cancels. Touch
 * scrolls; touch users have the move menu.
 */
export function beginDrag(event: PointerEvent, { card, from, board, onDrop }: DragOptions): void {
  const tile = event.currentTarget
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
  if (!(tile instanceof HTMLElement) || !isPlain || event.pointerType === 'touch') return
  const box = tile.getBoundingClientRect()
  const start = { x: event.clientX, y: event.clientY }
  const grip = { x: start.x - box.left, y: start.y - box.top }
  let pointer = start
  let frame = 0
  const ends = new AbortController()
  const on = { signal: ends.signal }

  const follow = () => {
    point.value = { x: pointer.x - grip.x, y: pointer.y - grip.y }
    const dragged = current.peek()
    if (!dragged) return
    const target = targetAt(board, card.id, pointer.x, point.value.y + box.height / 2) ?? dragged.target
    if (target.column !== dragged.target.column || target.index !== dragged.target.index) {
      current.value = { ...dragged, target }
    }
  }
  const scroll = () => {
    if (scrollAtEdges(board, pointer)) follow()
    frame = requestAnimationFrame(scroll)
  }
  const moved = (event: PointerEvent) => {
    pointer = { x: event.clientX, y: event.clientY }
    if (!current.peek()) {
      if (Math.hypot(pointer.x - start.x, pointer.y - start.y) < FROM_PIXELS) return
      current.value = { card, width: box.width, height: box.height, target: from }
      document.documentElement.classList.add('is-dragging')
      frame = requestAnimationFrame(scroll)
    }
    event.preventDefault()
    follow()
  }
  const end = (isDropped: boolean) => {
    ends.abort()
    cancelAnimationFrame(frame)
    document.documentElement.classList.remove('is-dragging')
    const dragged = current.peek()
    if (!dragged) return
    current.value = undefined
    swallowClick()
    if (isDropped) onDrop(dragged.target)
  }
  window.addEventListener('pointermove', moved, on)
  window.addEventListener('pointerup', () => end(true), on)
  window.addEventListener('pointercancel', () => end(false), on)
  window.addEventListener('blur', () => end(false), on)
  window.addEventListener(
    'keydown',
    event => {
      if (!current.peek() || event.key !== 'Escape') return
      event.preventDefault()
      event.stopImmediatePropagation()
      end(false)
    },
    { ...on, capture: true },
  )
}

/** A drop at the start position would count as a click. */
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  window.addEventListener('click', swallow, { capture: true, once: true })
  window.setTimeout(() => window.removeEventListener('click', swallow, { capture: true }))
}

function targetAt(board: HTMLElement, id: string, x: number, middle: number): Drag['target'] | undefined {
  const columns = [...board.querySelectorAll<HTMLElement>('[data-column]')]
  const distance = (column: HTMLElement) => {
    const { left, right } = column.getBoundingClientRect()
    return Math.max(left - x, 0, x - right)
  }
  const nearest = columns.sort((a, b) => distance(a) - distance(b))[0]
  const column = nearest?.dataset.column
  if (!nearest || column === undefined) return undefined
  const cards = [...nearest.querySelectorAll<HTMLElement>('.card-place')].filter(({ dataset }) => dataset.id !== id)
  const index = cards.filter(card => {
    const { top, height } = card.getBoundingClientRect()
    return top + height / 2 < middle
  }).length
  return { column, index }
}

function scrollAtEdges(board: HTMLElement, { x, y }: { x: number; y: number }): boolean {
  let hasScrolled = false
  const scroll = (element: Element, by: { left?: number; top?: number }) => {
    const before = element.scrollLeft + element.scrollTop
    element.scrollBy(by)
    hasScrolled ||= before !== element.scrollLeft + element.scrollTop
  }
  const { left, right } = board.getBoundingClientRect()
  if (x < left + EDGE_PIXELS) scroll(board, { left: -SCROLL_PIXELS })
  if (x > right - EDGE_PIXELS) scroll(board, { left: SCROLL_PIXELS })
  for (const list of board.querySelectorAll('.column-cards')) {
    const box = list.getBoundingClientRect()
    if (x < box.left || x > box.right) continue
    if (y < box.top + EDGE_PIXELS) scroll(list, { top: -SCROLL_PIXELS })
    if (y > box.bottom - EDGE_PIXELS) scroll(list, { top: SCROLL_PIXELS })
  }
  return hasScrolled
}
