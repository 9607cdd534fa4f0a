import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { appearance } from '../appearance.js'
import { isSingleKey, StrokeMatcher, strokeOf } from './key-strokes.js'

export interface KeyBinding {
  /** In the notation of `strokeOf`; two strokes separated by a blank: `j`, `Escape`, `g e`. The first is shown. */
  keys: string | readonly string[]
  /** For the list of shortcuts: `open`, `next, previous`. Absent: not listed. */
  does?: string
  run: (event: KeyboardEvent) => void
  inFields?: boolean
}

interface Group {
  /** Heading in the list of shortcuts: `Everywhere`, `Events`. */
  scope: string
  bindings: readonly KeyBinding[]
  layer: number
}

const groups = signal<readonly Group[]>([])
const matcher = new StrokeMatcher()
let topLayer = 0

/** Active shortcuts in order of binding, for the list of shortcuts. */
export function listedKeys(): { scope: string; bindings: readonly KeyBinding[] }[] {
  const scopes = new Map<string, KeyBinding[]>()
  for (const { scope, bindings, layer } of groups.value) {
    if (layer > 0) continue
    scopes.set(scope, [...(scopes.get(scope) ?? []), ...bindings.filter(binding => binding.does)])
  }
  return [...scopes].map(([scope, bindings]) => ({ scope, bindings })).filter(({ bindings }) => bindings.length > 0)
}

/** Binds keys until the returned function is called. The latest binding of a key takes precedence. */
function bindKeys(scope: string, bindings: readonly KeyBinding[], layer = topLayer): () => void {
  const group: Group = { scope, bindings, layer }
  groups.value = [...groups.peek(), group]
  return () => {
    groups.value = groups.peek().filter(other => other !== group)
  }
}

/** Binds keys while a component is mounted. They may change with every render. */
export function useKeys(scope: string, bindings: readonly KeyBinding[], isOn = true): void {
  const latest = useRef(bindings)
  latest.current = bindings
  // Bindings that change while a modal covers them stay covered.
  const layer = useRef<number>()
  const shape = bindings.map(({ keys, does }) => `${keys}\t${does}`).join('\n')
  // Not after the next frame: a key may be pressed as soon as the view is seen.
  useLayoutEffect(() => {
    if (!isOn) return
    const bound = bindings.map((binding, at) => ({
      ...binding,
      run: (event: KeyboardEvent) => latest.current[at]?.run(event),
    }))
    layer.current ??= topLayer
    return bindKeys(scope, bound, layer.current)
  }, [scope, shape, isOn])
}

/** Suspends all existing bindings while a modal is open, until the returned function is called. */
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
  const isTyping = event.target instanceof Element && event.target.closest(TYPED_INTO) !== null
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
