import { Config } from '@oclif/core/config'
import { run } from '@oclif/core/run'
import { settings } from '@oclif/core/settings'
import { printTree } from './command-tree.js'
import { Output } from './terminal/output.js'

/** Handles everything except our own commands: help, version, the command tree, plugins, unknown commands. */
export async function runThroughOclif(root: string, argv: readonly string[]): Promise<void> {
  // Always runs the build, even with NODE_ENV=development: oclif must not look for sources and a compiler.
  settings.enableAutoTranspile = false
  const config = await Config.load({ root, devPlugins: false, userPlugins: false })
  const [first] = argv
  if (argv.length === 1 && (first === '--tree' || first === '--tree-brief')) {
    return new Output(process.stdout).print(printTree(config, { signatures: first === '--tree' }))
  }
  await run([...argv], config)
}
