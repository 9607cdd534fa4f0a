import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once it is so. The time limit of the test ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5)
}
