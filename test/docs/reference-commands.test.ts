import type { Command } from '@oclif/core'
import t from 'tap'
import { flagNames, loadCommands } from './loaded-commands.js'
import { firstCodes, readReference, type Table } from './reference-page.js'

const { sections } = readReference('commands')
const commands = await loadCommands()

t.test('the reference describes every command with its arguments, and no other', async t => {
  const described = sections.map(({ title }) => /^`daybook ([^…]+)`$/.exec(title)?.[1]).filter(Boolean)
  t.same(described.sort(), [...commands].map(([words, command]) => [words, ...argsOf(command)].join(' ')).sort())
})

/** The flags that many commands share, described once. A command that has the flag has the whole table. */
const SHARED = new Map([
  ['Every command', 'no-color'],
  ['Results', 'output'],
  ['The ledger', 'token'],
  ['The board', 'board-url'],
  ['Filters of events', 'exclude-kind'],
])

t.test('the reference describes shared flags once', async t => {
  const described = new Map([...SHARED.keys()].map(title => [title, flagsIn(tablesOf(title))]))
  t.same(described.get('Every command'), ['--json', '--no-color'])
  t.same(described.get('Results'), ['--fields', '--local', '--output'])
  t.same(described.get('The ledger'), ['--api-url', '--profile', '--token', '--token-file'])
  t.same(described.get('The board'), ['--board-url', '--key'])
  t.same(flagsIn(shared('users')), ['--db'])
})

for (const [words, command] of commands) {
  t.test(`the reference lists the flags of ${words}`, async t => {
    const section = sections.find(({ title }) =>
      title.startsWith(`\`daybook ${[words, ...argsOf(command)].join(' ')}\``),
    )
    const names = flagNames(command)
    // `login` takes some of the flags of a ledger, and describes them itself.
    const common = [...SHARED].flatMap(([title, flag]) => (names.includes(flag) ? tablesOf(title) : []))
    const documented = [...(section?.tables ?? []), ...topicsOf(words).flatMap(shared), ...common]
    t.same([...new Set(flagsIn(documented))], names.map(name => `--${name}`).sort())
  })
}

function tablesOf(title: string): Table[] {
  return sections.find(section => section.title === title)?.tables ?? []
}

/** `board`, `board cards` of `board cards list`. */
function topicsOf(words: string): string[] {
  const parts = words.split(' ').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join(' '))
}

/** The text under the heading of a topic, for all of its commands. */
function shared(topic: string): Table[] {
  return sections.find(({ title }) => title.endsWith(`\`daybook ${topic} …\``))?.tables ?? []
}

function flagsIn(tables: readonly Table[]): string[] {
  return firstCodes(tables, 'flag')
    .map(code => code.replace(/ .*$/, ''))
    .filter(code => code.startsWith('--'))
    .sort()
}

function argsOf({ args }: Command.Loadable): string[] {
  return Object.values(args).map(({ name, required, options }) => {
    return required ? `<${options?.join('|') ?? name}>` : `[${name.toUpperCase()}]`
  })
}
