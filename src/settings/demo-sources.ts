import type { SettingSources } from './setting-sources.js'

/** Environment variables that a demo uses: where it listens, and its output. */
const DEMO_VARIABLES = [
  ...['EVENT_PORT', 'EVENT_ROOT_PATH', 'BOARD_PORT', 'BOARD_ROOT_PATH'],
  ...['EVENT_LOG_LEVEL', 'EVENT_LOG_FORMAT'],
]

/**
 * The sources of a demo's settings. Paths, accounts, secrets and captures are not looked up, so a demo cannot touch a
 * real ledger or board.
 *
 * @param home replaces the home folder
 */
export function demoSources(sources: SettingSources, home: string): SettingSources {
  const heeded = DEMO_VARIABLES.map((name): [string, string | undefined] => [name, sources.env[name]])
  return { ...sources, env: { ...Object.fromEntries(heeded), ARCH_HOME: home }, homedir: home }
}
