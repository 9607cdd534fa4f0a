import { commonLines } from './line-diff.js'

export const MINE_MARK = '<<<<<<< yours'
const BETWEEN_MARK = '======='
const SAVED_MARK = '>>>>>>> saved'

/** Number of conflicts that a text still contains, each between markers. */
export function countMarked(text: string): number {
  const lines = text.split('\n')
  const starting = (mark: string) => lines.filter(line => line.startsWith(mark.slice(0, 7))).length
  return Math.max(starting(MINE_MARK), starting(SAVED_MARK))
}

/**
 * Merges two edits of one text. Applies changes by only one side. In a conflict, both versions stay, between markers.
 */
export function mergeLines({ base, mine, saved }: { base: string; mine: string; saved: string }): string {
  const [origin, ours, theirs] = [base, mine, saved].map(text => text.split('\n')) as [string[], string[], string[]]
  const [inOurs, inTheirs] = [new Map(commonLines(origin, ours)), new Map(commonLines(origin, theirs))]
  const merged: string[] = []
  let [o, a, b] = [0, 0, 0]
  const takeUpTo = (o2: number, a2: number, b2: number) => {
    const [was, one, other] = [origin.slice(o, o2), ours.slice(a, a2), theirs.slice(b, b2)]
    if (isSame(one, other) || isSame(other, was)) merged.push(...one)
    else if (isSame(one, was)) merged.push(...other)
    else merged.push(MINE_MARK, ...one, BETWEEN_MARK, ...other, SAVED_MARK)
  }
  // Lines common to all three are anchors: the parts between them are merged separately.
  origin.forEach((line, at) => {
    const [x, y] = [inOurs.get(at), inTheirs.get(at)]
    if (x === undefined || y === undefined || x < a || y < b) return
    takeUpTo(at, x, y)
    merged.push(line)
    ;[o, a, b] = [at + 1, x + 1, y + 1]
  })
  takeUpTo(origin.length, ours.length, theirs.length)
  return merged.join('\n')
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at])
}
