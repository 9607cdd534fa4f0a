import { toTerminalJson } from './terminal-text.js'

/** Indented JSON, for responses without a better rendering. */
export function prettyJson(value: unknown): string {
  return toTerminalJson(JSON.stringify(value, null, 2))
}
