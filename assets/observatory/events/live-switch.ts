import { html } from '../../shared/html.js'
import { Switch } from '../../shared/switch.js'
import { filters, setFilters } from './filters.js'
import { isPaused, type LiveState, liveState, whyNoLive } from './live.js'

const NOTES: Record<LiveState, string> = {
  off: '',
  connecting: 'connecting…',
  following: '',
  reconnecting: 'reconnecting…',
}

/** Whether new events come by themselves, and how that goes. */
export function LiveSwitch({ isShort = false }: { isShort?: boolean }) {
  const state = liveState.value
  const note = state === 'following' && isPaused.value ? 'paused while you read' : NOTES[state]
  return html`<${Switch} label="Live" isOn=${filters.value.live && whyNoLive.value === undefined} whyOff=${whyNoLive.value}
    isWarning=${state === 'reconnecting'} note=${isShort ? undefined : note} onChange=${toggleLive} />`
}

export function toggleLive(): void {
  if (whyNoLive.peek() === undefined) setFilters({ live: !filters.peek().live }, 'replace')
}
