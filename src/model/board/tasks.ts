/** The mark of a task in Markdown, after the start of a list item. */
const TASK = /(?:[-*+]|\d[.)])[ \t]{1,4}\[[ xX]\]/g

/** How many tasks were ticked and unticked; undefined unless that is the only difference between the texts. */
export function tickedTasks(before: string, after: string): { ticked: number; unticked: number } | undefined {
  if (withoutTicks(before) !== withoutTicks(after)) return undefined
  const done = [...after.matchAll(TASK)].map(isTicked)
  const changed = [...before.matchAll(TASK)].map(isTicked).flatMap((was, at) => (was === done[at] ? [] : [!was]))
  const ticked = changed.filter(Boolean).length
  return changed.length === 0 ? undefined : { ticked, unticked: changed.length - ticked }
}

function withoutTicks(text: string): string {
  return text.replace(TASK, mark => `${mark.slice(0, -2)} ]`)
}

function isTicked([mark]: RegExpMatchArray): boolean {
  return !mark.endsWith('[ ]')
}
