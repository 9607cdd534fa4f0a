import { AppError } from '../model/app-error.js'
import { closest } from '../model/closest.js'
import { findBrowser } from './browser.js'
import { readCaptureSettings } from './capture-settings.js'
import { readBoardClientSettings, readClientSettings } from './client-settings.js'
import { readForwardSecret } from './forward-secret.js'
import { readHistorySettings } from './history-settings.js'
import { readLocalSettings } from './local-settings.js'
import { cacheFolder } from './reading/paths.js'
import type { SettingSources } from './reading/setting-sources.js'
import { readSharedEnvironment } from './reading/shared-environment.js'
import { readReconcileSettings } from './reconcile-settings.js'
import { readServeSettings } from './serve-settings.js'
import { readTerminalSettings } from './terminal-settings.js'

const PREFIX = /^(?:EVENT|BOARD|DAYBOOK|ARCH)_/
const READERS: readonly ((sources: SettingSources) => unknown)[] = [
  sources => readServeSettings({}, sources),
  sources => readClientSettings({}, sources),
  sources => readBoardClientSettings({}, sources),
  sources => readLocalSettings({}, sources),
  sources => readCaptureSettings({}, sources),
  sources => readReconcileSettings('all', {}, sources),
  readForwardSecret,
  ...(['code_a', 'code_b', 'forum'] as const).map(
    source => (sources: SettingSources) => readHistorySettings(source, { url: 'https://x.example' }, sources),
  ),
  readTerminalSettings,
  cacheFolder,
  sources => findBrowser(sources, 'linux'),
]

/**
 * A warning of variables that are probably misspelled settings, if there are any. Names that resemble no setting are of
 * other programs: they share the environment, and its file.
 */
export function misspelledSettings(sources: SettingSources): string[] {
  const given = new Set([...Object.keys(sources.env), ...readSharedEnvironment(sources).values.keys()])
  const candidates = [...given].filter(name => PREFIX.test(name))
  if (candidates.length === 0) return []
  const known = variablesRead()
  const found = candidates.flatMap(name => {
    const meant = known.has(name) ? undefined : settingLike(name, [...known])
    return meant === undefined ? [] : [`${name} (did you mean ${meant}?)`]
  })
  return found.length === 0 ? [] : [`Variables without effect, because there is no such setting: ${found.join(', ')}.`]
}

/** The setting of the same prefix with a similar name, or that of another prefix with the same name. */
function settingLike(name: string, known: readonly string[]): string | undefined {
  const [prefix = ''] = PREFIX.exec(name) ?? []
  const rest = name.slice(prefix.length)
  const names = known.filter(each => each.startsWith(prefix)).map(each => each.slice(prefix.length))
  const similar = closest(rest, names)
  return similar === undefined ? known.find(each => each.replace(PREFIX, '') === rest) : `${prefix}${similar}`
}

/** The variables that the program reads, with aliases: those that its readers ask an empty environment for. */
export function variablesRead(): ReadonlySet<string> {
  const read = new Set<string>()
  const get = (_: unknown, name: string | symbol) => void read.add(String(name))
  const readTextFile = () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  const env = new Proxy<Record<string, string>>({}, { get })
  const sources = { env, homedir: '/', readTextFile, isOpenToOthers: () => false, kindOfPath: () => 'nothing' as const }
  for (const reader of READERS) {
    try {
      reader(sources)
    } catch (error) {
      // Some settings have no default.
      if (!(error instanceof AppError)) throw error
    }
  }
  return read
}
