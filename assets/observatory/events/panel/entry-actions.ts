import type { StoredEvent } from '#model/events/event'
import { CopyButton } from '../../../shared/controls/copy.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { isPhone } from '../../../shared/media.js'
import { href } from '../../../shared/server/address.js'
import { otherProgramUrl, rootPath } from '../../../shared/server/root-path.js'
import { isOpen } from '../../../shared/server/session.js'
import { curlCommand } from '../event-commands.js'
import { cardLink, eventPath, platformLink, watchTarget } from '../event-links.js'
import { eventKey } from '../event-words.js'
import { eventLink } from './copy-link.js'

/** Actions on an event: open it on its platform, make a card, copy a command or link. */
export function EntryActions({ event }: { event: StoredEvent }) {
  const platform = platformLink(event)
  const target = watchTarget(event)
  const isShort = isPhone.value
  const ledger = { base: location.origin + rootPath, needsToken: !isOpen() }
  const curl = () => curlCommand(ledger, eventPath(eventKey(event)))
  return html`<div class="entry-actions buttons" role="group" aria-label="Actions">
    ${
      platform &&
      html`<a class="button" href=${platform} target="_blank" rel="noopener noreferrer" title=${platform}>
        <${Glyph} name="external" />Open${!isShort && html` on <span class="entry-platform ellipsis">${new URL(platform).host}</span>`}
        <span class="visually-hidden">, in a new tab</span>
      </a>`
    }
    ${
      otherProgramUrl !== undefined &&
      html`<a class="button" href=${cardLink(otherProgramUrl, event)}><${Glyph} name="card" />${isShort ? 'Card' : 'Make a card'}</a>`
    }
    ${
      target !== undefined &&
      html`<a class="button" href=${href('/subscriptions', new URLSearchParams({ new: 'true', source: event.source, target }))} title=${`Subscribe to ${target}`}><${Glyph} name="eye" />Watch</a>`
    }
    <${CopyButton} text=${curl} label=${isShort ? 'curl' : 'Copy as curl'} glyph="terminal" />
    <${CopyButton} text=${() => eventLink(eventKey(event))} label="Copy link" isBare />
  </div>`
}
