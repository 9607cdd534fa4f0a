import { html } from './html.js'

/** @param what is sample data, and where: `invented events in a throw-away ledger` */
export function DemoTag({ what }: { what: string }) {
  return html`<span class="tag accent open-tag"><span>Demo<span class="tag-rest">: ${what}</span></span></span>`
}
