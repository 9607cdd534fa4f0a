import { toTerminalJson } from './terminal-text.js'

/** JSON that is best read as it is, indented. */
export function prettyJson(value: unknown): string {
  return toTerminalJson(JSON.stringify(value, null, 2))
}
