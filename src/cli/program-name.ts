import { basename } from 'node:path'

/**
 * How this program is started, for commands that users copy: by name once it is installed, else by npx from the folder
 * of a checkout.
 *
 * @param script the path with which the process was started
 */
export function programName(script: string): string {
  return basename(script) === 'daybook' ? 'daybook' : 'npx daybook'
}
