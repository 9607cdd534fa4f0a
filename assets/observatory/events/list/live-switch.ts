import { Switch } from '../../../shared/controls/switch.js'
import { html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { filters, setFilters } from '../filters/filters.js'
import { caughtUp, isPaused, type LiveState, liveState, whyLiveUnavailable } from './live.js'

const NOTES: Record<LiveState, string> = {
  off: '',
  connecting: 'connecting…',
  following: '',
  reconnecting: 'reconnecting…',
}

/** How long the switch shows that Live has caught up: the line in the list that shows it may be far below. */
const CAUGHT_UP_MS = 30_000

export function LiveSwitch({ isShort = false }: { isShort?: boolean }) {
  const state = liveState.value
  const note = state === 'following' ? followingNote() : NOTES[state]
  return html`<${Switch} label="Live" isOn=${filters.value.live && whyLiveUnavailable.value === undefined} whyOff=${whyLiveUnavailable.value}
    isWarning=${state === 'reconnecting'} note=${isShort ? undefined : note} onChange=${toggleLive} />`
}

export function toggleLive(): void {
  if (whyLiveUnavailable.peek() === undefined) setFilters({ live: !filters.peek().live }, 'replace')
}

function followingNote(): string {
  const caught = caughtUp.value
  if (caught && now.value < caught.at + CAUGHT_UP_MS) return caught.short
  return isPaused.value ? 'paused while you scroll' : NOTES.following
}
