import t from 'tap'
import { findBrowser } from '../../src/settings/browser.js'
import { readCaptureSettings } from '../../src/settings/capture-settings.js'
import { readBoardClientSettings, readClientSettings } from '../../src/settings/client-settings.js'
import { readForwardSecret } from '../../src/settings/forward-secret.js'
import { readHistorySettings } from '../../src/settings/history-settings.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { cacheFolder } from '../../src/settings/reading/paths.js'
import type { SettingSources } from '../../src/settings/reading/setting-sources.js'
import { readReconcileSettings } from '../../src/settings/reconcile-settings.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { readTerminalSettings } from '../../src/settings/terminal-settings.js'
import { flagNames, loadCommands } from './own-commands.js'
import { codesIn, firstCodes, readReference } from './reference-page.js'

const { sections, text } = readReference('settings')

t.test('describes every setting that is read, and no other', async t => {
  const read = new Set<string>()
  const sources = recording(read)
  readServeSettings({}, sources)
  readClientSettings({}, sources)
  readBoardClientSettings({}, sources)
  readLocalSettings({}, sources)
  t.throws(() => readCaptureSettings({}, sources), { code: 'settings_invalid' }, 'there is no account by default')
  t.throws(() => readReconcileSettings('all', {}, sources), { code: 'settings_invalid' }, 'no hook is set by default')
  t.throws(() => readForwardSecret(sources), { code: 'settings_invalid' }, 'there is no secret by default')
  for (const source of ['code_a', 'code_b', 'forum'] as const)
    readHistorySettings(source, { url: 'https://x.example' }, sources)
  readTerminalSettings(sources)
  cacheFolder(sources)
  findBrowser(sources, 'linux')
  const described = firstCodes(sections.flatMap(({ tables }) => tables)).filter(code => !code.startsWith('--'))
  t.same(described.sort(), [...[...read].filter(name => !isAlias(name, read)), 'home_dir'].sort())
})

t.test('names only flags that exist', async t => {
  const flags = new Set([...(await loadCommands()).values()].flatMap(flagNames))
  const named = codesIn(text).filter(code => code.startsWith('--'))
  t.same(
    named.filter(flag => !flags.has(flag.slice(2))),
    [],
  )
})

/** `DAYBOOK_PORT` is described with `EVENT_PORT`. */
function isAlias(name: string, read: ReadonlySet<string>): boolean {
  return name.startsWith('DAYBOOK_') && read.has(name.replace('DAYBOOK_', 'EVENT_'))
}

/** An empty environment that remembers what it was asked for. */
function recording(read: Set<string>): SettingSources {
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        read.add(String(name))
        return undefined
      },
    },
  )
  const readTextFile = () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  return { env, homedir: '/home/you', readTextFile, isOpenToOthers: () => false, kindOfPath: () => 'nothing' as const }
}
