import type { Subscription } from '#model/subscriptions/subscription'
import { Glyph, type GlyphName } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { now } from '../../shared/words/now.js'
import { platforms } from '../overview.js'
import { type CaptureState, captureWords } from './capture-words.js'
import { timeLeft } from './watch-times.js'

const GLYPHS: Readonly<Partial<Record<CaptureState, GlyphName>>> = {
  hot: 'flame',
  cold: 'flake',
  failing: 'warning',
  late: 'warning',
  unreadable: 'warning',
}

/** How a subscription receives its events. */
export function CaptureView({ subscription }: { subscription: Subscription }) {
  const isPlatform = platforms.value.value?.some(({ source }) => source === subscription.source) ?? true
  const { state, words, more } = captureWords(subscription, { now: now.value, isPlatform })
  const glyph = GLYPHS[state]
  return html`<span class="capture capture-${state}" title=${more}>
    ${glyph && html`<${Glyph} name=${glyph} />`}<span>${words}</span>
  </span>`
}

/** Remaining time, in words and as a bar. Renders nothing without an end. */
export function TimeLeftView({ subscription }: { subscription: Subscription }) {
  const left = timeLeft(subscription, now.value)
  if (!left || !subscription.enabled) return null
  return html`<span class="time-left">${left.words}<progress class="bar" max="1" value=${left.part} aria-hidden="true"></progress></span>`
}
