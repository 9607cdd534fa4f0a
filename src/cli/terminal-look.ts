import type { SettingSources } from '../settings/setting-sources.js'
import type { Look } from './look.js'
import type { Output } from './output.js'

/** How to write for the person at the terminal; its means are loaded only when there is one. */
export async function terminalLook(output: Output, sources: SettingSources): Promise<Look> {
  const [{ createLook }, { readTerminalSettings }] = await Promise.all([
    import('./look.js'),
    import('../settings/terminal-settings.js'),
  ])
  const { colour } = readTerminalSettings(sources)
  return createLook({ colour: colour && output.isTerminal, columns: output.columns })
}
