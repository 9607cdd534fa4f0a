/** Known targets that resemble a typed one: a few letters more, fewer or different. */

const SHOWN = 2
const COMPARED = 500
const LONGEST = 200

export function nearTargets(target: string, known: readonly string[]): string[] {
  const wanted = target.toLowerCase()
  if (wanted.length > LONGEST) return []
  return [...new Set(known)]
    .filter(other => other !== '' && other !== target && other.length <= LONGEST)
    .slice(0, COMPARED)
    .map(other => ({ other, distance: distanceOf(wanted, other.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 5))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN)
    .map(({ other }) => other)
}

/** Number of differing letters; a common prefix counts as nearer. */
function distanceOf(a: string, b: string): number {
  if (b.startsWith(a)) return Math.min(2, b.length - a.length)
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
