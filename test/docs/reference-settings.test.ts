import t from 'tap'
import { variablesRead } from '../../src/settings/misspelled-settings.js'
import { flagNames, loadCommands } from './loaded-commands.js'
import { codesIn, firstCodes, readReference } from './reference-page.js'

const { sections, text } = readReference('settings')

t.test('the reference describes every setting that is read, and no other', async t => {
  const read = variablesRead()
  const described = firstCodes(sections.flatMap(({ tables }) => tables)).filter(code => !code.startsWith('--'))
  t.same(described.sort(), [...[...read].filter(name => !isAlias(name, read)), 'home_dir'].sort())
})

t.test('the reference names only existing flags', async t => {
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
