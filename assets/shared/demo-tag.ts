import { html } from './html.js'
import { isPhone } from './media.js'

/** @param what what is invented, and where it is: `invented events in a throw-away ledger` */
export function DemoTag({ what }: { what: string }) {
  return html`<span class="tag accent open-tag">${isPhone.value ? 'Demo' : `Demo: ${what}`}</span>`
}
