import { signal } from '@preact/signals'
import { useLayoutEffect, useState } from 'preact/hooks'
import { focusAfter } from '../focus.js'
import { type Children, html } from '../html.js'
import { Words } from '../words/text-view.js'
import { Glyph } from './glyph.js'

interface ToastOptions {
  /** The action, and its limits: `Deleted topic:3980. Its 212 events stay.` */
  words: Children
  /** Time to undo; default ten seconds. */
  seconds?: number
  undo?: () => void
  /** Called when undo is no longer possible; also on leaving the page, so it must use `keepalive`. */
  commit?: () => unknown
}

interface Toast extends ToastOptions {
  id: number
}

const toasts = signal<readonly Toast[]>([])
/** Places for toasts: the page, and each open modal above it. */
const places = signal<readonly symbol[]>([])
/** How often a toast is checked for use, and for its end. */
const TICK_MS = 250
/** On touch screens `:hover` stays after a tap. */
const HELD = matchMedia('(hover: hover)').matches ? ':hover, :focus-within' : ':focus-within'
let lastId = 0

/** Shows a message with an undo button. @returns ends it immediately, as if its time had passed */
export function showToast(options: ToastOptions): () => void {
  lastId += 1
  const toast: Toast = { ...options, id: lastId }
  toasts.value = [...toasts.peek(), toast]
  // The time does not depend on where the toast is shown. It stops while the toast is used.
  let before = Date.now()
  let left = (options.seconds ?? 10) * 1000
  const timer = window.setInterval(() => {
    const present = Date.now()
    if (!document.querySelector(`[data-toast="${toast.id}"]:is(${HELD})`)) left -= present - before
    before = present
    if (left > 0) return
    window.clearInterval(timer)
    end(toast, 'commit')
  }, TICK_MS)
  return () => void end(toast, 'commit')
}

function end(toast: Toast, how: 'commit' | 'undo'): unknown {
  // A toast ends only once.
  if (!toasts.peek().includes(toast)) return
  toasts.value = toasts.peek().filter(other => other !== toast)
  return toast[how]?.()
}

/** Ends all toasts, as if their time had passed; await it before the session ends, which their commits need. */
export async function commitToasts(): Promise<void> {
  await Promise.allSettled(toasts.peek().map(toast => end(toast, 'commit')))
}

window.addEventListener('pagehide', () => void commitToasts())

/**
 * Container of toasts: in the shell, and in each modal dialog. They appear in the most recently opened one, because
 * everything below it is covered and inert.
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
  return html`<div class="toasts stack" role="status">
    ${isHere && toasts.value.map(toast => html`<${ToastView} key=${toast.id} toast=${toast} />`)}
  </div>`
}

function ToastView({ toast }: { toast: Toast }) {
  const { words, undo } = toast
  const press = (how: 'commit' | 'undo') => () => {
    end(toast, how)
    focusAfter(() => undefined)
  }
  return html`<div class="toast row anywhere" data-toast=${toast.id}>
    <p>${typeof words === 'string' ? html`<${Words} text=${words} />` : words}</p>
    ${
      undo &&
      html`<button type="button" class="button quiet accent" onClick=${press('undo')}>
        <${Glyph} name="undo" />Undo
      </button>`
    }
    <button type="button" class="button quiet icon" aria-label="Close" onClick=${press('commit')}><${Glyph} name="close" /></button>
  </div>`
}
