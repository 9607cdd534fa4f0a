import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'

/** Where settings come from besides flags. Given, so that nothing else of the program looks at the process. */
export interface SettingSources {
  env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  homedir: string
  /** The file's text as UTF-8. @throws an error with the system's `code` (`ENOENT`, `EACCES` …) */
  readTextFile(path: string): string
}

/** The sources of this process. */
export function processSources(): SettingSources {
  return { env: process.env, homedir: homedir(), readTextFile: path => readFileSync(path, 'utf8') }
}
