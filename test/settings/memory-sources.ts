import type { SettingSources } from '../../src/settings/reading/setting-sources.js'

export const HOME = '/home/ada'
export const SHARED = `${HOME}/.config/arch/environment`

export interface MemorySources {
  env?: Record<string, string>
  /** Text by path; or the code of the failure that reading it meets. */
  files?: Record<string, string | { code: string }>
  /** Paths of files that users other than the owner may read. */
  openFiles?: readonly string[]
  /** Where links are that lead nowhere. */
  brokenLinks?: readonly string[]
}

/** Settings as if the process and the file system were these. */
export function memorySources({
  env = {},
  files = {},
  openFiles = [],
  brokenLinks = [],
}: MemorySources = {}): SettingSources {
  return {
    env,
    homedir: HOME,
    readTextFile: path => {
      const file = files[path] ?? { code: 'ENOENT' }
      if (typeof file === 'string') return file
      throw Object.assign(new Error(`${file.code}: ${path}`), file)
    },
    isOpenToOthers: path => openFiles.includes(path),
    kindOfPath: path => {
      if (brokenLinks.includes(path)) return 'a broken link'
      return typeof files[path] === 'string' ? 'a file' : 'nothing'
    },
  }
}
