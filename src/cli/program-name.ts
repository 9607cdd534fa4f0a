import { basename } from 'node:path'

/**
 * How this program is started, for commands that people are to copy: by its name once it is installed, else by npx from
 * the folder of a checkout.
 *
 * @param script as the process was started with it
 */
export function programName(script: string): string {
  return basename(script) === 'daybook' ? 'daybook' : 'npx daybook'
}
