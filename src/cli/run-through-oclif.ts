import { run } from '@oclif/core/run'
import { settings } from '@oclif/core/settings'
import { printTree } from './command-tree.js'
import { loadFullConfig } from './full-config.js'
import { Output } from './output.js'
import type { Program } from './program.js'

/** Everything that is not simply one of our commands: help, version, the command tree, plugins, words unknown. */
export async function runThroughOclif(program: Program, argv: readonly string[]): Promise<void> {
  // The sources are run as they are, or not at all: oclif shall not look for a compiler.
  settings.enableAutoTranspile = false
  const config = await loadFullConfig(program)
  const [first] = argv
  if (argv.length === 1 && (first === '--tree' || first === '--tree-brief')) {
    return new Output(process.stdout).print(printTree(config, { signatures: first === '--tree' }))
  }
  await run([...argv], config)
}
