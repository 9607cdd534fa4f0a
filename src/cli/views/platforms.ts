import { counted } from '../../model/counted.js'
import type { DeliveryExplanation, ExplainedEvent } from '../../model/platforms/explanation.js'
import type { PlatformSetup } from '../../model/platforms/platform-setup.js'
import { card } from '../terminal/card.js'
import { at, lineAt, listAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'
import { wrapWords } from '../terminal/text-width.js'
import { eventCard } from './events.js'

/** Renders the response of `GET /api/platforms`: one card per source. */
export function platformCards(platforms: unknown, style: TerminalStyle): string {
  const { paint } = style
  return listAt(platforms, 'items')
    .map(platform => {
      const secret = at(platform, 'secret_configured')
      return card(style, `${lineAt(platform, 'source')} (${lineAt(platform, 'display_name')})`, [
        ['webhook', lineAt(platform, 'webhook_path')],
        ['verified by', lineAt(platform, 'verification')],
        ['secret', secret === true ? paint.green('configured') : secret === false ? paint.yellow('none') : ''],
        ['server', lineAt(platform, 'site')],
        ['kinds', kinds(platform)],
        ['scopes', words(platform, 'scope_types')],
        ['targets', listAt(platform, 'target_grammar').map(toTargetLine).join('\n')],
        ['capture', words(platform, 'capture_modes')],
      ])
    })
    .join('\n\n')
}

const COLUMNS = [
  { title: 'source' },
  { title: 'platform', flexible: true },
  { title: 'secret' },
  { title: 'webhook' },
  { title: 'capture' },
]

/** Renders the same as a table: which webhooks have a secret. */
export function platformTable(platforms: unknown, style: TerminalStyle): string {
  const { paint } = style
  const rows = listAt(platforms, 'items').map(platform => [
    lineAt(platform, 'source'),
    lineAt(platform, 'display_name'),
    at(platform, 'secret_configured') === true ? paint.green('configured') : paint.yellow('none'),
    lineAt(platform, 'webhook_path'),
    words(platform, 'capture_modes'),
  ])
  return table(style, COLUMNS, rows)
}

function words(value: unknown, name: string): string {
  return toTerminalLine(listAt(value, name).join(', '))
}

/** Groups kinds by object type: a platform has a hundred kinds. */
function kinds(platform: unknown): string {
  const objects = listAt(platform, 'kinds').map(kind => String(kind).replace(/\..*/s, '.*'))
  return toTerminalLine([...new Set(objects)].join(', '))
}

function toTargetLine(rule: unknown): string {
  return `${lineAt(rule, 'form')}   e.g. ${lineAt(rule, 'example')}`
}

const INDENT = '  '
const BULLET = '- '

/** Renders the steps for the operator, in order. */
export function platformSetupCard(setup: PlatformSetup, style: TerminalStyle): string {
  const { paint, columns } = style
  const { secret } = setup
  const parts = [
    card(style, `${setup.display_name} → ${setup.source}`, [
      ['address', paint.cyan(toTerminalLine(setup.url))],
      ['secret', secretState(secret, style)],
      ['setting', secret.setting],
    ]),
    // On a line of its own, because it is wider than many terminals and users copy it.
    ...(secret.suggestion === undefined ? [] : [`${secret.setting}=${paint.cyan(secret.suggestion)}`]),
    card(
      style,
      `On the platform: ${setup.place.join(' → ')}`,
      setup.fields.map(({ name, value }) => [name, toTerminalLine(value)] as const),
    ),
  ]
  if (setup.events.length > 0) {
    parts.push(`${paint.bold('Tick')}\n${paragraph(`${setup.events.join(', ')}.`, { indent: INDENT, columns })}`)
  }
  const notes = setup.notes.map(note => paragraph(note, { indent: INDENT + BULLET, columns }))
  parts.push([paint.bold('Notes'), ...notes].join('\n'))
  return parts.join('\n\n')
}

function secretState({ configured, suggestion }: PlatformSetup['secret'], { paint }: TerminalStyle): string {
  if (configured) return paint.green('configured')
  return paint.yellow(suggestion === undefined ? 'none yet' : 'none yet; a new one:')
}

/** Indents the lines after the first to the text of the first. */
function paragraph(text: string, { indent, columns }: { indent: string; columns: number }): string {
  const lines = wrapWords(toTerminalLine(text), columns - indent.length)
  return indent + lines.join(`\n${' '.repeat(indent.length)}`)
}

/** Renders what a delivery would become: a card for each event, with the reasons below it. */
export function explanationText(explanation: DeliveryExplanation, style: TerminalStyle): string {
  const { source, events, ignored, delivery_id } = explanation
  const counts = [counted(events.length, 'event')]
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
