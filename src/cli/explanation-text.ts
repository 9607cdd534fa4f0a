import type { DeliveryExplanation, ExplainedEvent } from '../model/platforms/explanation.js'
import { card } from './card.js'
import { eventCard } from './event-card.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

/** Renders what a delivery would become: for each event a card, and below it the reasons. */
export function explanationText(explanation: DeliveryExplanation, style: TerminalStyle): string {
  const { source, events, ignored, delivery_id } = explanation
  const counts = [`${events.length} ${events.length === 1 ? 'event' : 'events'}`]
  if (ignored > 0) counts.push(`${ignored} with nothing to record`)
  const delivery = delivery_id === undefined ? '' : `, delivery ${toTerminalLine(delivery_id)}`
  const title = `${style.paint.bold(source)}: ${counts.join(', ')}${delivery}`
  return [title, ...events.map(event => eventText(event, style))].join('\n\n')
}

function eventText({ event, reasons }: ExplainedEvent, style: TerminalStyle): string {
  const { identity } = reasons
  const { host, object_type, id, verb, discriminator } = identity
  const occurrence = discriminator === undefined ? 'happens once' : discriminator
  const why = card(style, 'Why', [
    ['sent as', line([reasons.native_event, reasons.native_action].filter(word => word).join(', action '))],
    ['row', reasons.row === 'named' ? 'one of its own' : 'generic: recorded under the platform’s own names'],
    ['identity', line(`${object_type} ${id} on ${host}, ${verb}: ${occurrence}`)],
    ['key from', identity.from === 'payload' ? 'the event itself, the same through every hook' : 'only this delivery'],
    ['scope keys', reasons.scope_keys.map(line).join('\n')],
    ['targets', reasons.targets.map(line).join('\n')],
  ])
  return `${eventCard(event, style)}\n\n${why}`
}

function line(text: string): string {
  return toTerminalLine(text)
}
