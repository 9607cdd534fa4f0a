import { custom } from '@oclif/core/args'
import { AppError } from '../model/app-error.js'
import { findPlatformSource, PLATFORM_WORDS, type PlatformSource } from '../model/platforms/platform-source.js'

/** An argument that names a platform: its source, or the name of the platform itself. */
export const platformArgument = custom<PlatformSource>({
  description: `Which platform: ${PLATFORM_WORDS.join(', ')}.`,
  ignoreStdin: true,
  parse: async text => {
    const source = findPlatformSource(text)
    if (source !== undefined) return source
    const hint = `Use one of ${PLATFORM_WORDS.join(', ')}.`
    throw new AppError('invalid', 'wrong_usage', `"${text.slice(0, 80)}" is not a platform.`, { hint })
  },
})
