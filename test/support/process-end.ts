/** What the test files of a process share, such as a browser, ends with the process. */
const ends: (() => Promise<void>)[] = []

/** Called after the last file of this process. */
export function atProcessEnd(end: () => Promise<void>): void {
  ends.push(end)
}

export async function endShared(): Promise<void> {
  for (const end of ends.splice(0)) await end()
}
