import { invalidField } from '../../model/app-error.js'
import { isPayload, memberOf } from '../mapping/payload.js'

/** One part of a pointer: a member, the first item of a list that has a text at `path`, or each item of a list. */
export type Step = string | { path: readonly string[]; is: string } | typeof EVERY

export const EVERY = Symbol('[*]')

/** An item of a list, with the root in which it is the only one. */
export interface ListedItem {
  item: unknown
  root: unknown
}

const STEPS = 32
/** Items in which a member is looked for: payloads of any length take the same time. */
const SEARCHED = 128
const CHOSEN = /^\[([^=]+)=(.*)\]$/su
const INDEX = /^(?:0|[1-9]\d{0,8})$/u

/**
 * Reads a JSON Pointer. A part `[key=service.name]` is the first item of a list whose member `key` has this text; `[field~1ref=x]`
 * looks for the member `ref` in the member `field`.
 *
 * @param field where the pointer is in the definition, for the error
 * @throws AppError `invalid/invalid_field`
 *
 * Source: RFC 6901; docs/decisions/0086.
 */
export function readPointer(text: string, field: string): Step[] {
  if (text === '') return []
  if (!text.startsWith('/')) {
    const detail = `"${text}" is no place. Write a JSON Pointer such as /repo/name, ./status in an item, or header:x-event.`
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
export function compilePointer(text: string, field: string): (value: unknown) => unknown {
  const steps = readPointer(text, field)
  if (steps.includes(EVERY)) throw invalidField(field, `"${text}" has [*], which is for "each" and "redact" only.`)
  return value => valueAt(value, steps)
}

/** Whether there is a list at the pointer, or where it first goes through each item of one. */
export function hasListAt(root: unknown, steps: readonly Step[]): boolean {
  const every = steps.indexOf(EVERY)
  return Array.isArray(valueAt(root, every === -1 ? steps : steps.slice(0, every)))
}

/** The items of the lists at a pointer, in order, one after the other. */
export function* itemsAt(
  value: unknown,
  [step, ...inner]: readonly Step[],
  around: (list: unknown) => unknown = list => list,
): Generator<ListedItem> {
  if (step === undefined) {
    if (Array.isArray(value)) for (const item of value) yield { item, root: around([item]) }
  } else if (step === EVERY) {
    if (Array.isArray(value)) for (const each of value) yield* itemsAt(each, inner, list => around([list]))
  } else {
    yield* itemsAt(memberAt(value, step), inner, list => around(withReplaced(value, [step], () => list)))
  }
}

/** A copy in which the value at a pointer is replaced. A place that does not exist stays away. */
export function withReplaced(
  root: unknown,
  [step, ...inner]: readonly Step[],
  replace: (value: unknown) => unknown,
): unknown {
  if (step === undefined) return replace(root)
  if (Array.isArray(root)) {
    const chosen = step === EVERY ? undefined : indexAt(root, step)
    return root.map((value, at) => (step === EVERY || at === chosen ? withReplaced(value, inner, replace) : value))
  }
  if (typeof step !== 'string' || !isPayload(root) || !Object.hasOwn(root, step)) return root
  const members = Object.entries(root).map(([name, value]) => {
    return [name, name === step ? withReplaced(value, inner, replace) : value]
  })
  // `fromEntries` defines members, so one named `__proto__` stays ordinary data.
  return Object.fromEntries(members)
}

function valueAt(value: unknown, steps: readonly Step[]): unknown {
  let found = value
  for (const step of steps) found = memberAt(found, step)
  return found
}

/** Own members only: names come from outside. */
function memberAt(from: unknown, step: Step): unknown {
  if (Array.isArray(from)) return from[indexAt(from, step) ?? -1]
  return typeof step === 'string' && isPayload(from) ? memberOf(from, step) : undefined
}

function indexAt(list: readonly unknown[], step: Step): number | undefined {
  if (typeof step === 'string') return INDEX.test(step) ? Number(step) : undefined
  if (step === EVERY) return undefined
  const { path, is } = step
  const most = Math.min(list.length, SEARCHED)
  for (let index = 0; index < most; index++) {
    const value = valueAt(list[index], path)
    if (value === is || (typeof value === 'number' && String(value) === is)) return index
  }
  return undefined
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}
