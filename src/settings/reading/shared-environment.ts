import { isAbsolute, join, resolve } from 'node:path'
import { whyUnreadable } from '../../model/files/regular-file.js'
import { readDotenv } from './dotenv.js'
import { expandHome } from './paths.js'
import type { SettingSources } from './setting-sources.js'

/** Settings shared by several programs: `home_dir`, and any `EVENT_*` or `BOARD_*` name. */
export interface SharedEnvironment {
  /** The file's path, whether or not it exists. */
  path: string
  values: ReadonlyMap<string, string>
}

/** The reason why the file cannot be used, as a sentence, and the setting concerned. */
interface SharedEnvironmentProblem {
  setting: string
  detail: string
}

const MAX_CHARACTERS = 1024 * 1024

/**
 * Reads the shared environment, a dotenv file: `$ARCH_ENV_FILE`, else `$XDG_CONFIG_HOME/arch/environment`, else
 * `~/.config/arch/environment`. A missing file counts as empty unless `ARCH_ENV_FILE` names it.
 *
 * Source: Event Ledger Service, "Storage" (shared environment).
 */
export function readSharedEnvironment(
  sources: SettingSources,
): SharedEnvironment & { problem?: SharedEnvironmentProblem } {
  const named = sources.env.ARCH_ENV_FILE
  const path = named ? resolve(expandHome(named, sources.homedir)) : defaultPath(sources)
  const setting = named ? 'ARCH_ENV_FILE' : 'shared environment'
  const refused = (detail: string) => ({ path, values: new Map(), problem: { setting, detail } })

  let text: string
  try {
    text = sources.readTextFile(path)
  } catch (error) {
    const reason = whyUnreadable(error)
    if (reason.missing && !named) return { path, values: new Map() }
    return refused(`${setting} "${path}" ${reason.text}. Name a file that can be read.`)
  }
  if (text.length > MAX_CHARACTERS) return refused(`${setting} "${path}" is larger than 1 MiB.`)
  const { values, badLines } = readDotenv(text)
  if (badLines.length > 0) {
    const lines = `${badLines.length === 1 ? 'line' : 'lines'} ${badLines.join(', ')}`
    // The line is not shown: its text may be part of a secret.
    return refused(`${setting} "${path}", ${lines}: not NAME=value. A value with a # or a quote in it must be quoted.`)
  }
  return { path, values }
}

function defaultPath({ env, homedir }: SettingSources): string {
  const configHome = env.XDG_CONFIG_HOME
  // A relative path must be ignored (XDG Base Directory Specification).
  const base = configHome && isAbsolute(configHome) ? configHome : join(homedir, '.config')
  return join(base, 'arch', 'environment')
}
