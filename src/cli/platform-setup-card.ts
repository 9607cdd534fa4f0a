import type { PlatformSetup } from '../model/platform-setup.js'
import { card } from './card.js'
import type { Look } from './look.js'
import { toTerminalLine } from './terminal-text.js'
import { wrapWords } from './wrap-words.js'

const INDENT = '  '
const BULLET = '- '

/** What the operator has to do, from top to bottom. */
export function platformSetupCard(setup: PlatformSetup, look: Look): string {
  const { paint, columns } = look
  const { secret } = setup
  const parts = [
    card(look, `${setup.display_name} → ${setup.source}`, [
      ['address', paint.cyan(toTerminalLine(setup.url))],
      ['secret', secretState(secret, look)],
      ['setting', secret.setting],
    ]),
    // On a line of its own, as it is wider than many a terminal, and is to be copied.
    ...(secret.suggestion === undefined ? [] : [`${secret.setting}=${paint.cyan(secret.suggestion)}`]),
    card(
      look,
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

function secretState({ configured, suggestion }: PlatformSetup['secret'], { paint }: Look): string {
  if (configured) return paint.green('configured')
  return paint.yellow(suggestion === undefined ? 'none yet' : 'none yet; a fresh one:')
}

/** The lines after the first begin below the text of the first. */
function paragraph(text: string, { indent, columns }: { indent: string; columns: number }): string {
  const lines = wrapWords(toTerminalLine(text), columns - indent.length)
  return indent + lines.join(`\n${' '.repeat(indent.length)}`)
}
