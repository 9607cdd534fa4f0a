import { lstatSync, readFileSync, statSync } from 'node:fs'
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
  /** What is at the path. What may not be looked into is told when it is read. */
  standsAt(path: string): 'nothing' | 'a broken link' | 'a file' | 'something else'
}

/** The sources of this process. */
export function processSources(): SettingSources {
  return {
    env: process.env,
    homedir: homedir(),
    readTextFile: path => readFileSync(path, 'utf8'),
    isOpenToOthers: path => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0,
    standsAt,
  }
}

function standsAt(path: string): ReturnType<SettingSources['standsAt']> {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return 'nothing'
    const target = statSync(path, { throwIfNoEntry: false })
    if (!target) return 'a broken link'
    return target.isFile() ? 'a file' : 'something else'
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'something else'
    throw error
  }
}

/** Reading and writing, by the group and by everybody. */
const OTHERS = 0o066
