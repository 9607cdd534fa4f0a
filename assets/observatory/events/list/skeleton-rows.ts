import { html } from '../../../shared/html.js'

/** Placeholder rows during loading. */
export function SkeletonRows({ count }: { count: number }) {
  return html`<div aria-hidden="true">
    ${Array.from(
      { length: count },
      (_, at) => html`<div key=${at} class="event-row is-skeleton">
        <span class="event-time"><span class="skeleton"></span></span>
        <span class="event-glyph"><span class="skeleton"></span></span>
        <div class="event-sentence">
          <p class="event-line"><span class="skeleton"></span></p>
          <p class="event-said"><span class="skeleton"></span></p>
        </div>
      </div>`,
    )}
  </div>`
}
