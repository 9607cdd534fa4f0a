import { invalidField } from '../../model/app-error.js'
import { SOURCE_LIMITS, type SourceValue } from '../../model/sources/source-definition.js'
import { withinTextBound } from '../deliveries/text-bounds.js'
import { digestOf } from '../mapping/identifiers.js'
import type { Budget } from './budget.js'
import { compilePlace, type ReadPlace, type Scope } from './place.js'

/** The text of a value, or undefined if the payload lacks a part of it. */
export type ReadText = (scope: Scope) => string | undefined

/**
 * Form of long parts. `text`: in full. `identity`: their digest, so that two long texts with the same beginning stay
 * different.
 */
export type TextUse = 'text' | 'identity'

/** UTF-16 code units. */
const LONG_PART = 1_000
/** Steps that a value takes in addition to its places, including its use in the event. */
const STEPS_A_VALUE = 15
const BRACES = /\{\{|\}\}|\{([^{}]*)\}|[{}]/gu

/**
 * Compiles a value: a template, one with a map and a default, or a list of alternatives.
 *
 * @param field where it is in the definition, for errors
 * @throws AppError `invalid/invalid_field`
 */
export function compileValue(value: SourceValue, field: string, use: TextUse = 'text'): ReadText {
  if (Array.isArray(value)) {
    const alternatives = value.map((each, index) => compileValue(each, `${field}/${index}`, use))
    return scope => {
      for (const read of alternatives) {
        const text = read(scope)
        if (text !== undefined) return text
      }
      return undefined
    }
  }
  if (typeof value === 'string') return compileTemplate(value, field, use)
  const read = compileTemplate(value.template, `${field}/template`, use)
  const map = value.map === undefined ? undefined : new Map(Object.entries(value.map))
  const { strip = '' } = value
  return scope => {
    const found = read(scope)
    const text = found?.startsWith(strip) ? found.slice(strip.length) : found
    const mapped = text === undefined || map === undefined ? text : map.get(text)
    const result = mapped ?? value.default
    if (result !== undefined) scope.budget.takeCharacters(result.length)
    return result
  }
}

/** `"{/repo/name}#{/number}"`: places in braces, `{{` and `}}` for braces. */
function compileTemplate(template: string, field: string, use: TextUse): ReadText {
  const parts: (string | ReadPlace)[] = []
  let from = 0
  for (const match of template.matchAll(BRACES)) {
    const [found, place] = match
    parts.push(template.slice(from, match.index))
    from = match.index + found.length
    if (place !== undefined) parts.push(compilePlace(place, field))
    else if (found.length === 2) parts.push(found.slice(1))
    else throw invalidField(field, `"${template}" has an unpaired ${found}. Write {/place}, or {{ and }} for braces.`)
  }
  parts.push(template.slice(from))
  const places = parts.filter(part => typeof part !== 'string').length
  if (places > SOURCE_LIMITS.placeholders) {
    throw invalidField(field, `A template has at most ${SOURCE_LIMITS.placeholders} places.`)
  }
  const kept = parts.filter(part => part !== '')
  return scope => {
    scope.budget.takeSteps(STEPS_A_VALUE)
    let text = ''
    for (const part of kept) {
      const piece = typeof part === 'string' ? part : textOf(part(scope), use, scope.budget)
      if (piece === undefined) return undefined
      scope.budget.takeCharacters(piece.length)
      text += piece
    }
    return withinTextBound(text)
  }
}

/** Objects, lists, null and empty texts count as absent. */
function textOf(value: unknown, use: TextUse, budget: Budget): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value === '') return undefined
  if (use === 'text' || value.length <= LONG_PART) return value
  budget.takeCharacters(value.length)
  return `sha256-${digestOf(value)}`
}
