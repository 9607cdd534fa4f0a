import type { SettingSources } from './setting-sources.js'

/** How a terminal wants to be written to. */
export interface TerminalSettings {
  /** False when `NO_COLOR` is set or the terminal cannot. Source: no-color.org. */
  colour: boolean
  /** Defects are shown with their stack. */
  stacks: boolean
}

export function readTerminalSettings({ env }: Pick<SettingSources, 'env'>): TerminalSettings {
  const level = env.EVENT_LOG_LEVEL
  return { colour: !env.NO_COLOR && env.TERM !== 'dumb', stacks: level === 'debug' || level === 'trace' }
}
