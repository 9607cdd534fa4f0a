import type { SettingSources } from './reading/setting-sources.js'

/** How to write to the terminal. */
export interface TerminalSettings {
  /** False if `NO_COLOR` is set or the terminal has no colours. Source: no-color.org. */
  colour: boolean
  /** Whether to show the stack of defects. */
  stacks: boolean
}

export function readTerminalSettings({ env }: Pick<SettingSources, 'env'>): TerminalSettings {
  const level = env.EVENT_LOG_LEVEL
  return { colour: !env.NO_COLOR && env.TERM !== 'dumb', stacks: level === 'debug' || level === 'trace' }
}
