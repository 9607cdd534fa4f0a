/**
 * The events that a subscription's scope covers, as texts to look up.
 *
 * A **scope key** is either a node's own `key` (`category:5`, `issue:444500041`), or it names a node: `<type>:<name>`,
 * after its parent where needed (`stream:eng/topic:deploys`, `repository:ada/engine/issue:12`). A subscription covers
 * an event if its scope key is one of `scopeKeysOf` the event's target.
 *
 * Comparison is exact, but ignores the case of repository names. A name of digits alone is written with its first
 * digit percent-encoded, so that a stream called "2024" is not mistaken for the one with the id 2024.
 */
import { invalidField } from '../app-error.js'
import type { TargetNode } from '../events/event.js'
import { isPlatformSource } from '../platforms/platform-source.js'
import type { Scope } from './subscription.js'
import { placeOfFilters, placeOfScope, placeOfText, readId, TARGET_FORMS } from './target-grammar.js'
import { namedKey, neutralType, toFilters, toPlaceKey, toScope, toTargetText } from './target-place.js'

/** A target text, converted to the other forms that a subscription stores. */
interface ParsedTarget {
  scopeKey: string
  scope: Scope
  filters: Record<string, unknown>
}

/**
 * Reads the target of a subscription. Each of the four platforms has its grammar. For other sources, any text is the
 * `key` of a node.
 *
 * @param text not empty: a subscription without a target covers its whole source
 * @throws AppError `invalid/invalid_field` for `/target`, naming the grammar
 *
 * Source: Event Ledger Service, "Subscription"; decisions, section 6.
 */
export function parseTarget(source: string, text: string): ParsedTarget {
  const target = findTarget(source, text)
  if (target) return target
  const forms = isPlatformSource(source) ? TARGET_FORMS[source] : []
  const words = forms.map(({ form, example }) => `${form} (such as ${example})`).join(', ')
  const detail = `/target is not a scope of ${source}. Write ${words}; a / or % inside a name as %2F or %25.`
  throw invalidField('/target', detail)
}

/** Like `parseTarget`. @returns undefined for a text outside the grammar, which an older ledger may have */
export function findTarget(source: string, text: string): ParsedTarget | undefined {
  if (!isPlatformSource(source)) return { scopeKey: text, scope: { key: text }, filters: {} }
  const place = placeOfText(source, text)
  return place && { scopeKey: toPlaceKey(place), scope: toScope(place), filters: toFilters(place) }
}

/**
 * Writes the target text of a scope, or of filters if the scope names nothing.
 *
 * @returns undefined if the grammar has no form for it, such as a scope with only a native id
 */
export function toTarget(
  source: string,
  watched: { scope?: Scope | undefined; filters?: Record<string, unknown> | undefined },
): string | undefined {
  const { scope = {}, filters = {} } = watched
  if (!isPlatformSource(source)) return scope.key
  const place = placeOfScope(source, scope) ?? placeOfFilters(source, filters)
  return place && toTargetText(place)
}

/**
 * The scope key of a subscription's scope: its `key`, else one made of its type and display.
 *
 * @returns undefined for a scope that names nothing
 */
export function toScopeKey(source: string, scope: Scope): string | undefined {
  if (scope.key) return scope.key
  const place = isPlatformSource(source) ? placeOfScope(source, scope) : undefined
  if (place) return toPlaceKey(place)
  const [own] = namesOf(scope)
  const [carrier] = scope.parent ? namesOf(scope.parent) : []
  return own !== undefined && carrier !== undefined ? `${carrier}/${own}` : own
}

/** Every scope key under which a subscription may name an event with this target, possibly with duplicates. */
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

/** The repository of a node. A commit may be in between: pipelines of a pull request have both as parents. */
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

/** Key of a number within its repository. Numbers are unique only there; alone they would look like native ids. */
function numberOf({ type, metadata }: TargetNode): string | undefined {
  if (type !== 'issue' && type !== 'pull_request') return undefined
  const number = readId(metadata?.number)
  return number === undefined ? undefined : `${type}:${number}`
}
