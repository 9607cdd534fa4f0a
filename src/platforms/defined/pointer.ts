import { invalidField } from '../../model/app-error.js'
import { isObject } from '../../model/json-object.js'
import { memberOf } from '../mapping/payload.js'
import { sizeOf } from './budget.js'

/** One part of a pointer: a member, the first item of a list that has a text at `path`, or each item of a list. */
export type Step = string | { path: readonly string[]; is: string } | typeof EVERY

const EVERY = Symbol('[*]')

/** An item of a list, before the copy of the root in which it is the only item. */
export interface ItemInContext {
  item: unknown
  around: Around
}

/** The data around the items of a list: the values from the root to the list. */
interface Around {
  /** Size of the data that every item repeats. */
  size: number
  /** Members copied for each item: those of the objects from the root to the list. Other values are shared. */
  copied: number
  /** The root with this list in place of the original one. */
  rootWith(list: unknown): unknown
}

/** Takes steps from a budget. */
type TakeSteps = (steps: number) => void

/** Copying one member of an object takes about as long as copying this many items of a list. */
const ITEMS_A_MEMBER = 16
const NOTHING_AROUND: Around = { size: 0, copied: 0, rootWith: list => list }
const unlimited: TakeSteps = () => {}

const STEPS = 32
/** Maximum number of items in which a member is searched, so that long payloads take no longer. */
const SEARCHED = 128
const CHOSEN = /^\[([^=]+)=(.*)\]$/su
const INDEX = /^(?:0|[1-9]\d{0,8})$/u

/**
 * Reads a JSON Pointer. A part `[key=service.name]` is the first item of a list whose member `key` has this text;
 * `[field~1ref=x]` looks for the member `ref` in the member `field`.
 *
 * @param field where the pointer is in the definition, for the error
 * @throws AppError `invalid/invalid_field`
 *
 * Source: RFC 6901; docs/decisions/0086.
 */
export function readPointer(text: string, field: string): Step[] {
  if (text === '') return []
  if (!text.startsWith('/')) {
    const detail = `"${text}" is not a place. Write a JSON Pointer such as /repo/name, ./status in an item, or header:x-event.`
    throw invalidField(field, detail)
  }
  const names = text.slice(1).split('/')
  if (names.length > STEPS) throw invalidField(field, `A place has at most ${STEPS} parts.`)
  const wrong = names.find(name => /~(?![01])/u.test(name))
  if (wrong !== undefined) throw invalidField(field, 'A JSON Pointer writes ~ as ~0 and / as ~1.')
  return names.map(name => {
    if (name === '[*]') return EVERY
    const [, member, is] = CHOSEN.exec(name) ?? []
    if (member === undefined || is === undefined) return unescaped(name)
    return { path: unescaped(member).split('/'), is: unescaped(is) }
  })
}

/** The value at a pointer that names one place. @throws AppError `invalid/invalid_field` */
export function compilePointer(text: string, field: string): (value: unknown, takeSteps?: TakeSteps) => unknown {
  const steps = readPointer(text, field)
  if (steps.includes(EVERY)) throw invalidField(field, `"${text}" has [*], which is for "each" and "redact" only.`)
  return (value, takeSteps) => valueAt(value, steps, takeSteps)
}

/** Whether there is a list at the pointer, or at its first part that stands for each item of a list. */
export function hasListAt(root: unknown, steps: readonly Step[]): boolean {
  const every = steps.indexOf(EVERY)
  return Array.isArray(valueAt(root, every === -1 ? steps : steps.slice(0, every)))
}

/** The items of the lists at a pointer, in order, one after the other. */
export function* itemsAt(
  value: unknown,
  [step, ...inner]: readonly Step[],
  around: Around = NOTHING_AROUND,
): Generator<ItemInContext> {
  if (step === undefined) {
    if (Array.isArray(value)) for (const item of value) yield { item, around }
  } else if (step === EVERY) {
    const one: Around = { ...around, rootWith: list => around.rootWith([list]) }
    if (Array.isArray(value)) for (const each of value) yield* itemsAt(each, inner, one)
  } else {
    yield* itemsAt(memberAt(value, step), inner, aroundMember(value, step, around))
  }
}

function aroundMember(value: unknown, step: Exclude<Step, typeof EVERY>, around: Around): Around {
  const except = Array.isArray(value) ? indexAt(value, step) : typeof step === 'string' ? step : undefined
  const copied = Array.isArray(value) ? value.length / ITEMS_A_MEMBER : Object.keys(Object(value)).length
  return {
    size: around.size + sizeOf(value, except),
    copied: around.copied + copied,
    rootWith: list => around.rootWith(withReplaced(value, [step], () => list)),
  }
}

/** A copy in which the value at a pointer is replaced. All other values are shared. A missing place stays missing. */
export function withReplaced(
  root: unknown,
  [step, ...inner]: readonly Step[],
  replace: (value: unknown) => unknown,
): unknown {
  if (step === undefined) return replace(root)
  if (step === EVERY) return Array.isArray(root) ? mapped(root, value => withReplaced(value, inner, replace)) : root
  const name = Array.isArray(root) ? indexAt(root, step) : typeof step === 'string' ? step : undefined
  if (typeof root !== 'object' || root === null || name === undefined || !Object.hasOwn(root, name)) return root
  const before: unknown = Object(root)[name]
  const after = withReplaced(before, inner, replace)
  if (after === before) return root
  if (Array.isArray(root)) return root.with(Number(name), after)
  // A computed name defines the member, so one named `__proto__` stays ordinary data.
  return { ...root, [name]: after }
}

/** Returns the same list if no item changes: up to ten places may be replaced in every item. */
function mapped(list: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change)
  return changed.some((value, index) => value !== list[index]) ? changed : list
}

function valueAt(value: unknown, steps: readonly Step[], takeSteps = unlimited): unknown {
  takeSteps(steps.length + 1)
  let found = value
  for (const step of steps) {
    if (found === undefined) return undefined
    found = memberAt(found, step, takeSteps)
  }
  return found
}

/** Own members only: names come from outside. */
function memberAt(from: unknown, step: Step, takeSteps = unlimited): unknown {
  if (Array.isArray(from)) return from[indexAt(from, step, takeSteps) ?? -1]
  return typeof step === 'string' && isObject(from) ? memberOf(from, step) : undefined
}

function indexAt(list: readonly unknown[], step: Step, takeSteps = unlimited): number | undefined {
  if (typeof step === 'string') return INDEX.test(step) ? Number(step) : undefined
  if (step === EVERY) return undefined
  const { path, is } = step
  const most = Math.min(list.length, SEARCHED)
  for (let index = 0; index < most; index++) {
    const value = valueAt(list[index], path, takeSteps)
    if (value === is || (typeof value === 'number' && String(value) === is)) return index
  }
  return undefined
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}
