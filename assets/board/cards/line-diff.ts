/** A line of one or both texts. */
export interface DiffLine {
  of: 'both' | 'mine' | 'saved'
  text: string
}

/** Maximum cells of the table for the common subsequence; larger texts count as entirely different. */
const MOST_CELLS = 2_000_000

/** The lines of both texts, in an order that preserves each; differing ones are grouped, ours first. */
export function diffLines(mine: string, saved: string): DiffLine[] {
  const [a, b] = [mine.split('\n'), saved.split('\n')]
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  for (const [x, y] of [...commonLines(a, b), [a.length, b.length] as const]) {
    lines.push(...a.slice(i, x).map(text => ({ of: 'mine' as const, text })))
    lines.push(...b.slice(j, y).map(text => ({ of: 'saved' as const, text })))
    const text = a[x]
    if (text !== undefined) lines.push({ of: 'both', text })
    ;[i, j] = [x + 1, y + 1]
  }
  return lines
}

/**
 * Matches as many lines of both texts as possible. Returns pairs of indexes, both ascending.
 *
 * The longest common subsequence, after removing the common start and end.
 */
export function commonLines(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const pairs: (readonly [number, number])[] = []
  for (let at = 0; at < head; at++) pairs.push([at, at])
  pairs.push(...commonBetween(a.slice(head, a.length - tail), b.slice(head, b.length - tail), head))
  for (let at = tail; at > 0; at--) pairs.push([a.length - at, b.length - at])
  return pairs
}

function commonBetween(a: readonly string[], b: readonly string[], from: number): [number, number][] {
  const width = b.length + 1
  if (a.length * b.length === 0 || a.length * b.length > MOST_CELLS) return []
  const longest = new Uint32Array((a.length + 1) * width)
  const cell = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1))
    }
  }
  const pairs: [number, number][] = []
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([from + i++, from + j++])
    else if (cell(i + 1, j) >= cell(i, j + 1)) i++
    else j++
  }
  return pairs
}

/** Only differing lines and the lines next to them; `undefined` marks omitted lines. */
export function excerpt(lines: readonly DiffLine[]): (DiffLine | undefined)[] {
  const differs = lines.map(line => line.of !== 'both')
  const isNear = lines.map((_, at) => differs.slice(Math.max(0, at - 1), at + 2).includes(true))
  return lines.flatMap((line, at) => {
    if (isNear[at]) return [line]
    return isNear[at - 1] && isNear.includes(true, at) ? [undefined] : []
  })
}

/** Number of changed lines; a replaced line counts once. */
export function countDiffering(lines: readonly DiffLine[]): number {
  let [total, mine, saved] = [0, 0, 0]
  for (const { of } of [...lines, { of: 'both' as const }]) {
    if (of === 'mine') mine++
    else if (of === 'saved') saved++
    else {
      total += Math.max(mine, saved)
      ;[mine, saved] = [0, 0]
    }
  }
  return total
}
