import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

type Operation = (...args: unknown[]) => Promise<unknown>

/**
 * Puts `around` before every file operation of the kinds named, for whoever imports `node:fs/promises` afterwards. To be
 * called before the modules under test are loaded, in a process of its own.
 */
export function interceptFiles(
  names: readonly (keyof typeof promises)[],
  around: (name: string, args: unknown[], run: () => Promise<unknown>) => Promise<unknown>,
): void {
  const table = promises as unknown as Record<string, Operation>
  for (const name of names) {
    const original = table[name] as Operation
    table[name] = (...args) => around(name, args, () => original(...args))
  }
  syncBuiltinESMExports()
}
