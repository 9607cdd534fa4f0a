/**
 * Which events the scope of a subscription covers, as texts that can be looked up.
 *
 * A **scope key** is either a node's own `key` (`category:5`, `issue:444500041`), or it names a node: `<type>:<name>`,
 * where needed behind the one that carries it (`stream:eng/topic:deploys`, `repository:ada/engine/issue:12`). An event
 * is covered when one of `scopeKeysOf` its target equals the scope key of the subscription.
 *
 * Names are compared as they are, those of repositories whatever their letter case. A name of digits alone is written
 * with its first digit percent-encoded, so that a stream called "2024" is not taken for the one whose id is 2024.
 */
import { invalidField } from '../model/app-error.js'
import type { TargetNode } from '../model/event.js'
import type { Scope } from '../model/subscription.js'
import {
  isGrammar,
  placeOfFilters,
  placeOfScope,
  placeOfText,
  readId,
  TARGET_FORMS,
  type TargetForm,
} from './target-grammar.js'
import { namedKey, neutralType, toFilters, toPlaceKey, toScope, toTargetText } from './target-place.js'

/** What a target text says, in the other forms that a subscription holds. */
export interface ParsedTarget {
  scopeKey: string
  scope: Scope
  filters: Record<string, unknown>
}

/** The forms that a target may have; none for a source whose targets are taken as they are. */
export function targetGrammarOf(source: string): TargetForm[] {
  return isGrammar(source) ? [...TARGET_FORMS[source]] : []
}

/**
 * Reads the target of a subscription. The four platforms each have their grammar; elsewhere any text stands for the
 * `key` of a node.
 *
 * @param text not empty, as a subscription without a target watches its whole source
 * @throws AppError `invalid/invalid_field` for `/target`, telling the grammar
 *
 * Source: Event Ledger Service, "Subscription"; decisions, section 6.
 */
export function parseTarget(source: string, text: string): ParsedTarget {
  if (!isGrammar(source)) return { scopeKey: text, scope: { key: text }, filters: {} }
  const place = placeOfText(source, text)
  if (!place) {
    const forms = TARGET_FORMS[source].map(({ form, example }) => `${form} (such as ${example})`).join(', ')
    const detail = `/target is not a scope of ${source}. Write ${forms}; a / or % inside a name as %2F or %25.`
    throw invalidField('/target', detail)
  }
  return { scopeKey: toPlaceKey(place), scope: toScope(place), filters: toFilters(place) }
}

/**
 * Writes the target text of a scope, or of filters where the scope names nothing.
 *
 * @returns undefined where the grammar has no form for it, such as a scope that only has a native id
 */
export function toTarget(
  source: string,
  watched: { scope?: Scope | undefined; filters?: Record<string, unknown> | undefined },
): string | undefined {
  const { scope = {}, filters = {} } = watched
  if (!isGrammar(source)) return scope.key
  const place = placeOfScope(source, scope) ?? placeOfFilters(source, filters)
  return place && toTargetText(place)
}

/**
 * The scope key of a subscription's scope: its `key`, else what it names by type and display.
 *
 * @returns undefined for a scope that names nothing
 */
export function toScopeKey(source: string, scope: Scope): string | undefined {
  if (scope.key) return scope.key
  const place = isGrammar(source) ? placeOfScope(source, scope) : undefined
  if (place) return toPlaceKey(place)
  const [own] = namesOf(scope)
  const [carrier] = scope.parent ? namesOf(scope.parent) : []
  return own !== undefined && carrier !== undefined ? `${carrier}/${own}` : own
}

/** Every scope key under which a subscription may name an event with this target; some may stand there twice. */
export function scopeKeysOf(target: TargetNode): string[] {
  const keys: string[] = []
  let names = namesOf(target)
  for (let node: TargetNode | undefined = target; node; node = node.parent) {
    if (node.key) keys.push(node.key)
    keys.push(...names)
    if (!node.parent) break
    const carriers = namesOf(node.parent)
    for (const carrier of carriers) for (const name of names) keys.push(`${carrier}/${name}`)
    const number = numberOf(node)
    if (number !== undefined) {
      for (const repository of namesOf(repositoryAround(node.parent))) keys.push(`${repository}/${number}`)
    }
    names = carriers
  }
  return keys
}

/** A commit may stand between: the pipelines of a pull request hang on both. */
function repositoryAround(node: TargetNode): TargetNode {
  for (let outer: TargetNode | undefined = node; outer; outer = outer.parent) {
    if (neutralType(outer.type ?? '') === 'repository') return outer
  }
  return node
}

/** `<type>:<name>` for each name of a node. */
function namesOf({ type, display, metadata }: TargetNode | Scope): string[] {
  if (!type || display === undefined) return []
  const names = [namedKey(neutralType(type), display)]
  const slug = type === 'category' ? metadata?.slug : undefined
  if (typeof slug === 'string' && slug !== '') names.push(namedKey(type, slug))
  return names
}

/** Numbers count inside their repository only; alone they would look like native ids. */
function numberOf({ type, metadata }: TargetNode): string | undefined {
  if (type !== 'issue' && type !== 'pull_request') return undefined
  const number = readId(metadata?.number)
  return number === undefined ? undefined : `${type}:${number}`
}
