import type { SettingSources } from './setting-sources.js'

/** What the environment may say to a demo: where it answers, and how it speaks. */
const HEEDED = [
  ...['EVENT_PORT', 'EVENT_ROOT_PATH', 'BOARD_PORT', 'BOARD_ROOT_PATH'],
  ...['EVENT_LOG_LEVEL', 'EVENT_LOG_FORMAT'],
]

/**
 * The sources of a demo's settings. Where files are, who may log in, which secrets there are, what is captured: nothing
 * of that is looked up, so a demo cannot come near a real ledger or board.
 *
 * @param home stands for the home folder
 */
export function demoSources(sources: SettingSources, home: string): SettingSources {
  const heeded = HEEDED.map((name): [string, string | undefined] => [name, sources.env[name]])
  return { ...sources, env: { ...Object.fromEntries(heeded), ARCH_HOME: home }, homedir: home }
}
