/**
 * Removes trailing `characters`. Linear, unlike a pattern such as `/x+$/`, which retries each run of `x` from each of
 * its characters.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The same at both ends. Unlike `trim()`, removes exactly the given characters. */
export function trimOf(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return trimEndOf(text.slice(start), characters)
}
