import { LEXICON } from './lexicon.js'
import type { Random } from './random.js'

const SLOT = /\{(\w+)\}/gu

/** A sentence of a template: each `{word}` becomes one of the lexicon's, which may have such words in it again. */
export function phrase(random: Random, template: string): string {
  return template.replace(SLOT, (slot, word: string) => {
    const choices = LEXICON[word]
    return choices === undefined ? slot : phrase(random, random.pick(choices))
  })
}
