import type { Interfaces } from '@oclif/core'
import { AppError } from '../model/app-error.js'
import { closest } from '../model/closest.js'

/** oclif's hook for unknown commands. */
const commandNotFound: Interfaces.Hook<'command_not_found'> = async ({ id, config }) => {
  const commands = config.commands.filter(command => !command.hidden).map(command => command.id)
  throw unknownCommand(config.bin, id.split(':'), commands)
}

export default commandNotFound

/**
 * The error for an unknown command, with a suggestion: the nearest command, or one whose last word is nearest to the
 * first typed word.
 *
 * @param ids the existing commands, their words joined by colons
 */
export function unknownCommand(bin: string, words: readonly string[], ids: readonly string[]): AppError {
  const commands = ids.map(id => id.replaceAll(':', ' '))
  const likely = nearestByBeginning(words, commands) ?? nearestByLastWord(words[0] ?? '', commands)
  const hint = likely === undefined ? `"${bin} --tree-brief" shows every command.` : `Did you mean "${bin} ${likely}"?`
  return new AppError('invalid', 'unknown_command', `"${bin} ${words.join(' ')}" is not a command.`, { hint })
}

/** The last words may be arguments, so fewer and fewer words are tried. */
function nearestByBeginning(words: readonly string[], commands: readonly string[]): string | undefined {
  for (let count = words.length; count > 0; count--) {
    const likely = closest(words.slice(0, count).join(' '), commands)
    if (likely !== undefined) return likely
  }
  return undefined
}

function nearestByLastWord(word: string, commands: readonly string[]): string | undefined {
  const lastWords = commands.map(command => command.slice(command.lastIndexOf(' ') + 1))
  const likely = closest(word, lastWords)
  return likely === undefined ? undefined : commands[lastWords.indexOf(likely)]
}
