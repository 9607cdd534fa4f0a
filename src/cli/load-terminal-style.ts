import type { SettingSources } from '../settings/setting-sources.js'
import type { Output } from './output.js'
import type { TerminalStyle } from './terminal-style.js'

/** The style for the user's terminal. Loads the colour library only at a terminal. */
export async function loadTerminalStyle(output: Output, sources: SettingSources): Promise<TerminalStyle> {
  const [{ createTerminalStyle }, { readTerminalSettings }] = await Promise.all([
    import('./terminal-style.js'),
    import('../settings/terminal-settings.js'),
  ])
  const { colour } = readTerminalSettings(sources)
  return createTerminalStyle({ colour: colour && output.isTerminal, columns: output.columns })
}
