import type { DeliveryExplanation, ExplainedEvent } from '../model/explanation.js'
import { card } from './card.js'
import { eventCard } from './event-card.js'
import type { Look } from './look.js'
import { toTerminalLine } from './terminal-text.js'

/** What a delivery would become: for each event a card, and below it the reasons. */
export function explanationText(explanation: DeliveryExplanation, look: Look): string {
  const { source, events, ignored, delivery_id } = explanation
  const counts = [`${events.length} ${events.length === 1 ? 'event' : 'events'}`]
  if (ignored > 0) counts.push(`${ignored} with nothing to keep`)
  const delivery = delivery_id === undefined ? '' : `, delivery ${toTerminalLine(delivery_id)}`
  const title = `${look.paint.bold(source)}: ${counts.join(', ')}${delivery}`
  return [title, ...events.map(event => eventText(event, look))].join('\n\n')
}

function eventText({ event, reasons }: ExplainedEvent, look: Look): string {
  const { identity } = reasons
  const { host, object_type, id, verb, discriminator } = identity
  const occurrence = discriminator === undefined ? 'happens once' : discriminator
  const why = card(look, 'Why', [
    ['sent as', line([reasons.native_event, reasons.native_action].filter(word => word).join(', action '))],
    ['row', reasons.row === 'named' ? 'one of its own' : 'generic: kept under the platform’s own words'],
    ['identity', line(`${object_type} ${id} on ${host}, ${verb}: ${occurrence}`)],
    ['told by', identity.from === 'payload' ? 'what happened, by whichever hook it comes' : 'this delivery alone'],
    ['scope keys', reasons.scope_keys.map(line).join('\n')],
    ['targets', reasons.targets.map(line).join('\n')],
  ])
  return `${eventCard(event, look)}\n\n${why}`
}

function line(text: string): string {
  return toTerminalLine(text)
}
