import type { Kleur } from 'kleur'
import kleur from 'kleur'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import type { Output } from './output.js'

/** How to write to a terminal: colours and width. */
export interface TerminalStyle {
  paint: Kleur
  columns: number
}

export function createTerminalStyle({ colour, columns }: { colour: boolean; columns: number }): TerminalStyle {
  kleur.enabled = colour
  return { paint: kleur, columns }
}

/** The style for the user's terminal. Loads the colour library only at a terminal. */
export async function loadTerminalStyle(output: Output, sources: SettingSources): Promise<TerminalStyle> {
  const [{ createTerminalStyle }, { readTerminalSettings }] = await Promise.all([
    import('./style.js'),
    import('../../settings/terminal-settings.js'),
  ])
  const { colour } = readTerminalSettings(sources)
  return createTerminalStyle({ colour: colour && output.isTerminal, columns: output.columns })
}
