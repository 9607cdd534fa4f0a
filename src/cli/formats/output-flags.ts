import { boolean, option, string } from '@oclif/core/flags'
import { FORMATS, readFields } from './output-options.js'

/** The flags of commands that print something for people and programs. */
export const OUTPUT_FLAGS = {
  output: option({
    char: 'o',
    options: FORMATS,
    description:
      'Format of the output. table: for people, the default at a terminal; json: as the API answers, the default in a pipe; name: one name a line.',
    helpGroup: 'GLOBAL',
    // Not `exclusive`: help would show both as excluding each other.
    relationships: [{ type: 'none', flags: ['json'] }],
  })(),
  fields: string({
    description: 'Only these members of each item, as a comma list: kind,actor.display.',
    helpValue: '<list>',
    parse: async list => {
      readFields(list)
      return list
    },
    helpGroup: 'GLOBAL',
  }),
  local: boolean({
    description: 'Local time in tables, instead of UTC; dates given without a zone are local.',
    helpGroup: 'GLOBAL',
  }),
}
