import { lstatSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { readRegularFile } from '../../model/files/regular-file.js'
import { aliasOf } from './aliases.js'

/** Sources of settings other than flags. They are passed in, so that no other code reads the process. */
export interface SettingSources {
  env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  homedir: string
  /** The text of a regular file of at most 1 MiB. @throws as `readRegularFile` */
  readTextFile(path: string): string
  /** Whether users other than the file's owner may read or change it; false if there is no file. */
  isOpenToOthers(path: string): boolean
  /** The type of the path. An inaccessible path is reported when it is read. */
  kindOfPath(path: string): 'nothing' | 'a broken link' | 'a file' | 'something else'
}

/** The sources of this process. */
export function processSources(): SettingSources {
  return {
    env: process.env,
    homedir: process.env.HOME || homeOfAccount(),
    readTextFile: path => readRegularFile(path, MAX_BYTES),
    isOpenToOthers: path => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0,
    kindOfPath,
  }
}

/**
 * Libraries look up the home folder and the shell in the accounts of the system. They fail, some while they are loaded,
 * if no account has this user id, as in a container.
 */
export function completeEnvironment(): void {
  const { env } = process
  if (env.HOME && env.SHELL) return
  try {
    userInfo()
  } catch {
    env.HOME ||= '/'
    env.SHELL ||= '/bin/sh'
  }
}

function homeOfAccount(): string {
  try {
    return userInfo().homedir
  } catch {
    // The system has no account with this user id, as in a container. Programs then begin in `/`.
    return '/'
  }
}

function kindOfPath(path: string): ReturnType<SettingSources['kindOfPath']> {
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

const MAX_BYTES = 1024 * 1024
/** Read and write permission of group and others. */
const OTHERS = 0o066

/** Environment variables that a demo uses: for its addresses and its output. */
const DEMO_VARIABLES = [
  ...['EVENT_PORT', 'EVENT_ROOT_PATH', 'BOARD_PORT', 'BOARD_ROOT_PATH'],
  ...['EVENT_LOG_LEVEL', 'EVENT_LOG_FORMAT', 'EVENT_ACCESS_LOG'],
]

/**
 * The sources of a demo's settings. Paths, accounts, secrets and captures are not looked up, so a demo cannot touch a
 * real ledger or board.
 *
 * @param home replaces the home folder
 */
export function demoSources(sources: SettingSources, home: string): SettingSources {
  const names = DEMO_VARIABLES.flatMap(name => [name, aliasOf(name) ?? name])
  const heeded = names.map((name): [string, string | undefined] => [name, sources.env[name]])
  return { ...sources, env: { ...Object.fromEntries(heeded), ARCH_HOME: home }, homedir: home }
}
