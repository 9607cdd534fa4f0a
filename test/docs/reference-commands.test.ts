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

t.test('what all commands of the API take is told once', async t => {
  t.same(flagsIn(shared()), ['--api-url', '--json', '--token'])
})

for (const [words, command] of commands) {
  t.test(`says of ${words} which flags it takes`, async t => {
    const section = sections.find(({ title }) => title.startsWith(`\`daybook ${[words, ...argsOf(command)].join(' ')}`))
    const told = [...(section?.tables ?? []), ...(words.startsWith('api ') ? shared() : [])]
    t.same(
      flagsIn(told),
      flagNames(command)
        .map(name => `--${name}`)
        .sort(),
    )
  })
}

function shared(): Table[] {
  return sections.find(({ title }) => title.endsWith('`daybook api …`'))?.tables ?? []
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
