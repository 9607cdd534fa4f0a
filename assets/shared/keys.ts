import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { appearance } from './appearance.js'
import { isSingleKey, StrokeMatcher, strokeOf } from './key-strokes.js'

/** A key and what it does. */
export interface KeyBinding {
  /** As `strokeOf` names them; two strokes with a blank between: `j`, `Escape`, `g e`. The first is shown. */
  keys: string | readonly string[]
  /** For the list of keys: `open`, `next, previous`. Absent: not listed. */
  does?: string
  run: (event: KeyboardEvent) => void
  /** It works in fields as well. */
  inFields?: boolean
}

interface Group {
  /** Heading in the list of keys: `Everywhere`, `Events`. */
  scope: string
  bindings: readonly KeyBinding[]
  layer: number
}

const groups = signal<readonly Group[]>([])
const matcher = new StrokeMatcher()
let topLayer = 0

/** What is bound now, in the order in which it was, for the list of keys. */
export function listedKeys(): { scope: string; bindings: readonly KeyBinding[] }[] {
  const scopes = new Map<string, KeyBinding[]>()
  for (const { scope, bindings, layer } of groups.value) {
    if (layer > 0) continue
    scopes.set(scope, [...(scopes.get(scope) ?? []), ...bindings.filter(binding => binding.does)])
  }
  return [...scopes].map(([scope, bindings]) => ({ scope, bindings })).filter(({ bindings }) => bindings.length > 0)
}

/** Binds keys until what it returns is called. Of two bindings of a key the later one holds. */
export function bindKeys(scope: string, bindings: readonly KeyBinding[]): () => void {
  const group: Group = { scope, bindings, layer: topLayer }
  groups.value = [...groups.peek(), group]
  return () => {
    groups.value = groups.peek().filter(other => other !== group)
  }
}

/** Binds keys while a component is there. They may change with every render. */
export function useKeys(scope: string, bindings: readonly KeyBinding[], isOn = true): void {
  const latest = useRef(bindings)
  latest.current = bindings
  const shape = bindings.map(({ keys, does }) => `${keys}\t${does}`).join('\n')
  useEffect(() => {
    if (!isOn) return
    const bound = bindings.map((binding, at) => ({
      ...binding,
      run: (event: KeyboardEvent) => latest.current[at]?.run(event),
    }))
    return bindKeys(scope, bound)
  }, [scope, shape, isOn])
}

/** While something modal is open, only keys that are bound from now on do something. Ended by what it returns. */
export function coverKeys(): () => void {
  topLayer += 1
  return () => {
    topLayer -= 1
  }
}

document.addEventListener('keydown', event => {
  if (event.defaultPrevented || event.isComposing || event.repeat === undefined) return
  const stroke = strokeOf(event)
  if (isSingleKey(stroke) && !appearance.value.singleKeys) return
  const isTyping = isField(event.target)
  const bound = groups
    .peek()
    .filter(({ layer }) => layer === topLayer)
    .flatMap(({ bindings }) => bindings)
    .filter(({ inFields }) => !isTyping || inFields)
  const found = matcher.match(stroke, bound.flatMap(sequences), performance.now())
  if (found === undefined) return
  if (found !== 'pending') bound.findLast(binding => sequences(binding).includes(found))?.run(event)
  event.preventDefault()
})

function sequences({ keys }: KeyBinding): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys
}

const TYPED_INTO = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]'

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPED_INTO) !== null
}
