import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Import it before tap. tap follows every promise, to find the test that an error outside of all promises belongs to,
 * and that takes a tenth of the processor time of a run. Without it such an error ends the process, and `run.ts` reports
 * the file.
 */
hooks.createHook = () => {
  const hook = { enable: () => hook, disable: () => hook }
  return hook
}
syncBuiltinESMExports()
