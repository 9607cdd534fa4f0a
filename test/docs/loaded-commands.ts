import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '@oclif/core'
import { Config, Plugin } from '@oclif/core/config'
import { ROOT } from './pages.js'

/** Every command there is, by its words, those of plugins included: loaded from their files, not from a manifest. */
export async function loadCommands(): Promise<Map<string, Command.Loadable>> {
  const pjson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const roots = [ROOT, ...pjson.oclif.plugins.map((name: string) => join(ROOT, 'node_modules', name))]
  const plugins = new Map<string, Plugin>()
  for (const root of roots) {
    const plugin = new Plugin({ root, isRoot: root === ROOT, ignoreManifest: true, errorOnManifestCreate: true })
    await plugin.load()
    plugins.set(plugin.name, plugin)
  }
  const config = await Config.load({ root: ROOT, pjson, plugins })
  const shown = config.commands.filter(command => !command.hidden)
  return new Map(shown.map(command => [command.id.replaceAll(':', ' '), command]))
}

/** The names of a command's flags, without dashes. */
export function flagNames(command: Command.Loadable): string[] {
  return Object.values(command.flags)
    .filter(flag => !flag.hidden)
    .map(flag => flag.name)
}
