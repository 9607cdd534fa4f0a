import { card } from './card.js'
import { at, lineAt, listAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

/** Renders the response of `GET /api/platforms`: one card per source. */
export function platformCards(platforms: unknown, style: TerminalStyle): string {
  const { paint } = style
  return listAt(platforms, 'items')
    .map(platform => {
      const secret = at(platform, 'secret_configured')
      return card(style, `${lineAt(platform, 'source')} (${lineAt(platform, 'display_name')})`, [
        ['webhook', lineAt(platform, 'webhook_path')],
        ['proved by', lineAt(platform, 'verification')],
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
