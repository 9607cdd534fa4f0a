import { cpSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'

type Operation = (...args: unknown[]) => unknown

/**
 * Calls `before` ahead of each of these operations of `module`, for modules that import it later. To be called
 * before the code under test is loaded, in a process of its own.
 *
 * @param before awaited if it returns a promise
 */
export function interceptFiles(
  module: object,
  names: readonly string[],
  before: (name: string, args: unknown[]) => Promise<void> | undefined,
): void {
  const table = module as Record<string, Operation>
  for (const name of names) {
    const original = table[name] as Operation
    table[name] = (...args) => {
      const waiting = before(name, args)
      return waiting === undefined ? original(...args) : waiting.then(() => original(...args))
    }
  }
  syncBuiltinESMExports()
}

/**
 * For `interceptFiles`: copies a folder just before each step. What a process has written stays when it is killed, so these
 * copies are all that a kill can leave. Writing a whole file is two steps: half of it, and all of it.
 *
 * @param states gets a folder for each state: `1`, `2`, …
 */
export function saveStates(folder: string, states: string): (name: string, args: unknown[]) => undefined {
  let count = 0
  // To copy takes steps too, if their operations are among the intercepted ones.
  let isSaving = false
  const save = () => {
    count += 1
    const state = join(states, String(count))
    cpSync(folder, state, { recursive: true, preserveTimestamps: true })
    return state
  }
  return (name, [path, content]) => {
    if (isSaving) return
    isSaving = true
    save()
    if (name === 'writeFile') {
      writeFileSync(join(save(), relative(folder, String(path))), String(content).slice(0, 40))
    }
    isSaving = false
  }
}
