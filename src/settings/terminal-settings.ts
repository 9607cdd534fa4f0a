import { findVariable } from './reading/aliases.js'
import type { SettingSources } from './reading/setting-sources.js'

/** Settings for output to the terminal. */
interface TerminalSettings {
  /**
   * `never` if `NO_COLOR` is set or the terminal has no colours; `always`, also in a pipe, if `CLICOLOR_FORCE` is set.
   * Source: no-color.org; bixense.com/clicolors.
   */
  colour: 'auto' | 'always' | 'never'
  /** The width from `COLUMNS`, which `watch` and other programs set for a program in a pipe. */
  columns: number | undefined
  /** Whether to show the stack of defects. */
  stacks: boolean
}

export function readTerminalSettings({ env }: Pick<SettingSources, 'env'>): TerminalSettings {
  const level = findVariable(env, 'EVENT_LOG_LEVEL')
  const columns = /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : undefined
  return { colour: colourOf(env), columns, stacks: level === 'debug' || level === 'trace' }
}

function colourOf(env: SettingSources['env']): TerminalSettings['colour'] {
  if (env.NO_COLOR) return 'never'
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return 'always'
  return env.TERM === 'dumb' ? 'never' : 'auto'
}
