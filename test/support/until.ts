import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 5
const MOST_MS = 40

/** Resolves once it is so, and asks less often the longer that takes. The time limit of the test ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitMs = FIRST_MS; !(await isSo()); waitMs = Math.min(waitMs * 1.2, MOST_MS)) await sleep(waitMs)
}
