import { AppError, invalidField } from '../../model/app-error.js'
import { readObject } from '../../model/json-object.js'
import type { FeedLogin, SourceDefinition } from '../../model/sources/source-definition.js'
import { readSourceDefinition } from '../../platforms/defined/adapter.js'
import { feedAt } from '../../platforms/defined/presets/feed.js'
import { PRESETS } from '../../platforms/defined/presets/presets.js'

/** The definition of a preset under another name. @throws AppError `invalid/wrong_usage`, `invalid/invalid_field` */
export function presetNamed(preset: string, name: string): SourceDefinition {
  const found = PRESETS.get(preset)
  if (found === undefined) {
    const hint = `There are ${[...PRESETS.keys()].join(', ')}.`
    throw new AppError('invalid', 'wrong_usage', `There is no preset "${preset}".`, { hint })
  }
  return readSourceDefinition({ name, ...found })
}

/** The definition of a feed at an address. @throws AppError `invalid/invalid_field` */
export function feedNamed(url: string, name: string, login?: FeedLogin): SourceDefinition {
  return readSourceDefinition({ name, ...feedAt(url, login) })
}

/** @throws AppError `invalid/invalid_json`, `invalid/invalid_field` with the place in the definition */
export function readDefinition(input: unknown, name: string): SourceDefinition {
  const named = { name, ...readObject(input, 'A definition') }
  if (named.name !== name) {
    throw invalidField('/name', `/name is "${String(named.name)}", but the command names "${name}".`)
  }
  return readSourceDefinition(named)
}
