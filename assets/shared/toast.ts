import { signal } from '@preact/signals'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Glyph } from './glyph.js'
import { type Children, html } from './html.js'
import { Words } from './text-view.js'

export interface ToastOptions {
  /** What was done, and what stays: `Deleted topic:3980. Its 212 events stay.` */
  words: Children
  /** How long it can be undone; ten seconds when absent. */
  seconds?: number
  /** Shows what it was before. */
  undo?: () => void
  /** Called when it cannot be undone any more; on leaving the page too, so it must use `keepalive`. */
  commit?: () => void
}

interface Toast extends ToastOptions {
  id: number
}

const toasts = signal<readonly Toast[]>([])
/** Where toasts could stand: the page, and above it whatever is modal. */
const places = signal<readonly symbol[]>([])
let lastId = 0

/** Shows a sentence with a way back. @returns ends it at once, as if its time were over */
export function showToast(options: ToastOptions): () => void {
  lastId += 1
  const toast: Toast = { ...options, id: lastId }
  toasts.value = [...toasts.peek(), toast]
  // Its time goes on wherever it stands.
  window.setTimeout(() => end(toast, 'commit'), (options.seconds ?? 10) * 1000)
  return () => end(toast, 'commit')
}

function end(toast: Toast, how: 'commit' | 'undo'): void {
  // Each ends once.
  if (!toasts.peek().includes(toast)) return
  toasts.value = toasts.peek().filter(other => other !== toast)
  toast[how]?.()
}

window.addEventListener('pagehide', () => {
  for (const toast of toasts.peek()) end(toast, 'commit')
})

/**
 * Where toasts stand: in the shell, and in each modal dialog. They stand in the one that was opened last, as nothing
 * else can be seen whole, or pressed.
 */
export function Toasts() {
  const [place] = useState(() => Symbol('place of toasts'))
  useLayoutEffect(() => {
    places.value = [...places.peek(), place]
    return () => {
      places.value = places.peek().filter(other => other !== place)
    }
  }, [place])
  const isHere = places.value.at(-1) === place
  return html`<div class="toasts" role="status">
    ${isHere && toasts.value.map(toast => html`<${ToastView} key=${toast.id} toast=${toast} />`)}
  </div>`
}

function ToastView({ toast }: { toast: Toast }) {
  const { words, undo } = toast
  return html`<div class="toast">
    <p>${typeof words === 'string' ? html`<${Words} text=${words} />` : words}</p>
    ${
      undo &&
      html`<button type="button" class="button quiet accent" onClick=${() => end(toast, 'undo')}>
        <${Glyph} name="undo" />Undo
      </button>`
    }
    <button type="button" class="button quiet icon" aria-label="Close" onClick=${() => end(toast, 'commit')}><${Glyph} name="close" /></button>
  </div>`
}
