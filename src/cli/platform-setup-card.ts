import type { PlatformSetup } from '../model/platforms/platform-setup.js'
import { card } from './card.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'
import { wrapWords } from './wrap-words.js'

const INDENT = '  '
const BULLET = '- '

/** The steps that the operator has to take, in order. */
export function platformSetupCard(setup: PlatformSetup, style: TerminalStyle): string {
  const { paint, columns } = style
  const { secret } = setup
  const parts = [
    card(style, `${setup.display_name} → ${setup.source}`, [
      ['address', paint.cyan(toTerminalLine(setup.url))],
      ['secret', secretState(secret, style)],
      ['setting', secret.setting],
    ]),
    // On its own line, because it is wider than many terminals and users copy it.
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
