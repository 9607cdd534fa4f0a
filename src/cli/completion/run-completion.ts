import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processSources } from '../../settings/reading/setting-sources.js'
import { Output } from '../terminal/output.js'
import { toTerminalLine } from '../terminal/text.js'
import { complete } from './complete.js'
import { listedValues } from './listed-values.js'
import { FILES, REQUEST } from './scripts.js'

/**
 * The words of a completion script's request, if the command line is one. Handled without the command framework,
 * because a person waits after each Tab.
 */
export function readCompletionRequest([first, separator, ...words]: readonly string[]): readonly string[] | undefined {
  return first === REQUEST && separator === '--' ? words : undefined
}

/** Prints a line for each candidate: the word, a tab, and its description. */
export async function runCompletion(root: string, words: readonly string[]): Promise<void> {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const manifest = { ...read('oclif.manifest.json'), topics: read('package.json').oclif.topics }
  const sources = processSources()
  const completion = await complete(manifest, words, name => listedValues(name, sources))
  const lines =
    completion === 'files'
      ? [FILES]
      : completion.map(({ value, description = '' }) => `${toTerminalLine(value)}\t${toTerminalLine(description)}`)
  await new Output(process.stdout).print(lines.join('\n'))
}
