import { AppError } from '../../model/app-error.js'
import { SOURCE_LIMITS, type SourceDefinition } from '../../model/sources/source-definition.js'
import type { ItemShape } from '../formats/output-options.js'
import { readSmallText } from '../input/read-input.js'
import { UsersCommand } from './users-command.js'

/** The name of a source is in its definition. */
export const BY_SOURCE: ItemShape = {
  name: source => String(Reflect.get(Object(Reflect.get(Object(source), 'definition')), 'name')),
}

const BEARER = { type: 'token', header: 'Authorization', prefix: 'Bearer ' } as const

/** The flags that give a definition. */
interface DefinitionFlags {
  definition?: string | undefined
  preset?: string | undefined
  feed?: string | undefined
  /** User of a feed's login. If absent, the secret is sent as a bearer token. */
  user?: string | undefined
  'secret-file'?: string | undefined
}

/** A command that manages the sources of a ledger on this machine, through its running server if there is one. */
export abstract class SourcesCommand extends UsersCommand {
  /** The definition that the flags name, under this name; undefined if they name none. @throws AppError `invalid/…` */
  protected async readDefinition(
    name: string,
    { definition, preset, feed, user: username, 'secret-file': secretFile }: DefinitionFlags,
  ): Promise<SourceDefinition | undefined> {
    if (preset !== undefined) {
      const { presetNamed } = await import('../../runtime/sources/presets.js')
      return presetNamed(preset, name)
    }
    if (feed !== undefined) {
      if (!/^https?:\/\//.test(feed)) {
        const hint = 'Write it like --feed https://example.org/news.atom.'
        throw new AppError('invalid', 'wrong_usage', '--feed must be an http or https address.', { hint })
      }
      const { feedNamed } = await import('../../runtime/sources/presets.js')
      if (username !== undefined) return feedNamed(feed, name, { type: 'basic', username })
      return feedNamed(feed, name, secretFile === undefined ? undefined : BEARER)
    }
    if (definition === undefined) return undefined
    const { readDefinition } = await import('../../runtime/sources/presets.js')
    return readDefinition(parse(await readSmallText(definition, SOURCE_LIMITS.bytes), definition), name)
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? ` (${cause.message})` : ''
    throw new AppError('invalid', 'invalid_json', `${file} is not JSON${reason}.`, { cause })
  }
}
