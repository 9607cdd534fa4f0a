import { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

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

/** Kills this process before the n-th step that is counted. Writing a whole file is two: half of it, and all of it. */
export function deathAt(step: number): (name: string, args: unknown[]) => undefined {
  let taken = 0
  const count = () => {
    taken += 1
    return taken === step
  }
  const die = () => process.kill(process.pid, 'SIGKILL')
  return (name, [path, content]) => {
    if (count()) die()
    if (name === 'writeFile' && count()) {
      writeFileSync(String(path), String(content).slice(0, 40))
      die()
    }
  }
}
