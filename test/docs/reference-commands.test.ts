import type { Command } from '@oclif/core'
import t from 'tap'
import { flagNames, loadCommands } from './own-commands.js'
import { firstCodes, readReference, type Table } from './reference-page.js'

const { sections } = readReference('commands')
const commands = await loadCommands()

t.test('describes every command with its arguments, and no other', async t => {
  const described = sections.map(({ title }) => /^`daybook ([^…]+)`$/.exec(title)?.[1]).filter(Boolean)
  t.same(described.sort(), [...commands].map(([words, command]) => [words, ...argsOf(command)].join(' ')).sort())
})

t.test('the common flags of a topic are described once', async t => {
  t.same(flagsIn(shared('api')), ['--api-url', '--json', '--token'])
  t.same(flagsIn(shared('users')), ['--db', '--json'])
  t.same(flagsIn(shared('board')), ['--json'])
  t.same(flagsIn(shared('board cards')), ['--board-url', '--key'])
})

for (const [words, command] of commands) {
  t.test(`lists the flags of ${words}`, async t => {
    const section = sections.find(({ title }) => title.startsWith(`\`daybook ${[words, ...argsOf(command)].join(' ')}`))
    const documented = [...(section?.tables ?? []), ...topicsOf(words).flatMap(shared)]
    t.same(
      flagsIn(documented),
      flagNames(command)
        .map(name => `--${name}`)
        .sort(),
    )
  })
}

/** `board`, `board cards` of `board cards list`. */
function topicsOf(words: string): string[] {
  const parts = words.split(' ').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join(' '))
}

/** What stands under the heading of a topic, for all of its commands. */
function shared(topic: string): Table[] {
  return sections.find(({ title }) => title.endsWith(`\`daybook ${topic} …\``))?.tables ?? []
}

function flagsIn(tables: readonly Table[]): string[] {
  return firstCodes(tables, 'flag')
    .map(code => code.replace(/ .*$/, ''))
    .sort()
}

function argsOf({ args }: Command.Loadable): string[] {
  return Object.values(args).map(({ name, required, options }) => {
    return required ? `<${options?.join('|') ?? name}>` : `[${name.toUpperCase()}]`
  })
}
