import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Config, Plugin } from '@oclif/core/config'
import t from 'tap'
import { type CommandSource, printTree } from '../../src/cli/command-tree.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Our own commands, loaded from their files, because a manifest may be outdated. */
async function loadOwnCommands(): Promise<CommandSource> {
  const pjson = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
  const own = new Plugin({ root: ROOT, pjson, isRoot: true, ignoreManifest: true, errorOnManifestCreate: true })
  await own.load()
  return Config.load({ root: ROOT, pjson, plugins: new Map([[own.name, own]]) })
}

/** The expected tree: a renamed command, or one that cannot be loaded, appears as a difference. */
function readTree(file: string): string {
  return readFileSync(`${ROOT}/test/cli/${file}`, 'utf8')
}

t.test('the brief tree names every command and its purpose', async t => {
  t.equal(`${printTree(await loadOwnCommands(), { signatures: false })}\n`, readTree('command-tree-brief.txt'))
})

t.test('the full tree shows the parameters of each command', async t => {
  t.equal(`${printTree(await loadOwnCommands(), { signatures: true })}\n`, readTree('command-tree.txt'))
})

t.test('hidden commands and flags stay hidden', async t => {
  const config = await loadOwnCommands()
  const hidden = {
    ...config,
    bin: 'x',
    topics: [],
    commands: config.commands.map(command => ({ ...command, hidden: true })),
  }
  t.equal(printTree(hidden, { signatures: true }), 'x')
})
