import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { getConsumedChars } from 'regexp-ast-analysis'
import { analyse } from 'scslre'

/**
 * Why a pattern may take more than linear time on some text; empty for one that never does. Nothing is timed.
 *
 * `scslre` finds repetitions that are nested, or follow each other and match the same text. It reports a repetition that
 * every position of a text starts again (its "Move") only where the pattern begins with it, so not in `/ #.*$/`: `restarts`
 * finds all of these.
 *
 * @param source of a regular expression, without its slashes
 */
export function superlinearReasons(source: string, flags: string): string[] {
  const { pattern, flags: parsed } = new RegExpParser().parseLiteral(`/${source}/${flags}`)
  const { reports } = analyse({ pattern, flags: parsed }, { reportTypes: { Move: false } })
  const tried = pattern.alternatives.filter(alternative => !isAnchored(alternative, parsed))
  return [
    ...reports.map(report => `${report.type}: ${('quant' in report ? report.quant : report.endQuant).raw}`),
    ...tried.flatMap(alternative => restarts(alternative, parsed)),
  ]
}

/** It is tried at one position of the text alone. */
function isAnchored({ elements }: AST.Alternative, { sticky, multiline }: AST.Flags): boolean {
  const [first] = elements
  return sticky || (!multiline && first?.type === 'Assertion' && first.kind === 'start')
}

interface Surroundings {
  /** What has matched by then, and had to. */
  before: readonly AST.Element[]
  canFailAfter: boolean
}

/**
 * The repetitions of an alternative that can run over a place where the alternative itself begins, and then fail: each
 * such place runs over the rest of the text once more.
 */
function restarts(
  alternative: AST.Alternative,
  flags: AST.Flags,
  outer: Surroundings = { before: [], canFailAfter: false },
): string[] {
  const found: string[] = []
  const before = [...outer.before]
  for (const [index, element] of alternative.elements.entries()) {
    const canFailAfter = outer.canFailAfter || alternative.elements.slice(index + 1).some(canFail)
    const isRepetition = element.type === 'Quantifier'
    if (isRepetition && element.max === Number.POSITIVE_INFINITY && canFailAfter) {
      if (!before.some(required => mustStopAt(required, element, flags))) found.push(`Restart: ${element.raw}`)
    }
    // What is repeated can fail in its middle, also where the repetition as a whole cannot.
    for (const nested of alternativesOf(isRepetition ? element.element : element)) {
      found.push(...restarts(nested, flags, { before, canFailAfter: isRepetition || canFailAfter }))
    }
    if (canFail(element)) before.push(element)
  }
  return found
}

/** Whether a repetition cannot run over any text of `element`: some character of it is none that is repeated. */
function mustStopAt(element: AST.Element, repetition: AST.Quantifier, flags: AST.Flags): boolean {
  if (element.type === 'Assertion') return false
  if (element.type === 'Quantifier') return mustStopAt(element.element, repetition, flags)
  const alternatives = alternativesOf(element)
  if (alternatives.length === 0) {
    return getConsumedChars(element, flags).chars.isDisjointWith(getConsumedChars(repetition, flags).chars)
  }
  return alternatives.every(({ elements }) =>
    elements.some(part => canFail(part) && mustStopAt(part, repetition, flags)),
  )
}

function canFail(element: AST.Element): boolean {
  return element.type !== 'Quantifier' || element.min > 0
}

function alternativesOf(element: AST.Element): AST.Alternative[] {
  return element.type === 'Group' || element.type === 'CapturingGroup' ? element.alternatives : []
}
