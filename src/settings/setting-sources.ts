import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'

/** Where settings come from besides flags. Given, so that nothing else of the program looks at the process. */
export interface SettingSources {
  env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  homedir: string
  /** The file's text as UTF-8. @throws an error with the system's `code` (`ENOENT`, `EACCES` …) */
  readTextFile(path: string): string
  /** Whether others than a file's owner may read or change it; not where there is no file. */
  isOpenToOthers(path: string): boolean
}

/** The sources of this process. */
export function processSources(): SettingSources {
  return {
    env: process.env,
    homedir: homedir(),
    readTextFile: path => readFileSync(path, 'utf8'),
    isOpenToOthers: path => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0,
  }
}

/** Reading and writing, by the group and by everybody. */
const OTHERS = 0o066
