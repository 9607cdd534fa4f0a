import { Config, Plugin } from '@oclif/core/config'
import { type Program, readPackage } from './program.js'

/** oclif's configuration with every command and plugin, for help, completion and the command tree. */
export async function loadFullConfig(program: Program): Promise<Config> {
  const { root, code } = program
  const pjson = readPackage(program)
  if (code === 'dist') return Config.load({ root, pjson, devPlugins: false, userPlugins: false })
  // The manifest of an earlier build would stand in front of the sources.
  const own = new Plugin({ root, pjson, isRoot: true, ignoreManifest: true })
  const others = (pjson.oclif.plugins ?? []).map(name => new Plugin({ root, name, type: 'core' }))
  const plugins = [own, ...others]
  await Promise.all(plugins.map(plugin => plugin.load()))
  return Config.load({ root, pjson, plugins: new Map(plugins.map(plugin => [plugin.name, plugin])) })
}
