import { isAbsolute, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { expandHome } from './home-path.js'
import type { SettingSources } from './setting-sources.js'
import { whyUnreadable } from './unreadable.js'

/** Settings that several programs share: `home_dir`, and any `EVENT_*` or `BOARD_*` name. */
export interface SharedEnvironment {
  /** The file that was looked for, whether or not it is there. */
  path: string
  values: Readonly<Record<string, string | undefined>>
}

/** A reason why the file cannot be used, as a sentence; the setting it belongs to. */
export interface SharedEnvironmentProblem {
  setting: string
  detail: string
}

const MAX_CHARACTERS = 1024 * 1024
const NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/

/**
 * Reads the shared environment, a dotenv file: `$ARCH_ENV_FILE`, else `$XDG_CONFIG_HOME/arch/environment`, else
 * `~/.config/arch/environment`. A file that is not there is an empty one, unless `ARCH_ENV_FILE` names it.
 *
 * Source: Event Ledger Service, "Storage" (shared environment); docs/decisions.
 */
export function readSharedEnvironment(
  sources: SettingSources,
): SharedEnvironment & { problem?: SharedEnvironmentProblem } {
  const named = sources.env.ARCH_ENV_FILE
  const path = named ? resolve(expandHome(named, sources.homedir)) : defaultPath(sources)
  const setting = named ? 'ARCH_ENV_FILE' : 'shared environment'
  const refused = (detail: string) => ({ path, values: {}, problem: { setting, detail } })

  let text: string
  try {
    text = sources.readTextFile(path)
  } catch (error) {
    const reason = whyUnreadable(error)
    if (reason.missing && !named) return { path, values: {} }
    return refused(`${setting} "${path}" ${reason.text}. Name a file that can be read.`)
  }
  if (text.length > MAX_CHARACTERS) return refused(`${setting} "${path}" is larger than 1 MiB.`)
  const values: Record<string, string | undefined> = parseEnv(text)
  // The text of such a line is not shown: it may be the rest of a secret.
  if (!Object.keys(values).every(name => NAME.test(name))) {
    return refused(`${setting} "${path}" holds a line that is not NAME=value.`)
  }
  return { path, values }
}

function defaultPath({ env, homedir }: SettingSources): string {
  const configHome = env.XDG_CONFIG_HOME
  // A relative one is to be ignored (XDG Base Directory Specification).
  const base = configHome && isAbsolute(configHome) ? configHome : join(homedir, '.config')
  return join(base, 'arch', 'environment')
}
