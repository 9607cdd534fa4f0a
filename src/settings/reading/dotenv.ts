/** The content of a dotenv file. */
interface Dotenv {
  values: ReadonlyMap<string, string>
  /** Numbers, from 1, of lines that could not be parsed. */
  badLines: number[]
}

const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=/y
const QUOTED = /[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)')[ \t]*(?:#[^\n]*)?(?:\n|$)/y
const LINE = /([^\n]*)(?:\n|$)/y

/**
 * Reads a dotenv file: `NAME=value` lines, with or without `export`. Values are bare, in 'single quotes' as they are,
 * or in "double quotes" with \n, \t, \" and \\; quoted values may span lines. A `#` after a blank begins a comment. The
 * last assignment of a name counts.
 *
 * Stricter than Node's `parseEnv`. That takes a line without `=` as part of the next name, or drops it. It also cuts a
 * bare value at any `#`, so that half a secret would be used as the secret. This parser reports such lines.
 */
export function readDotenv(file: string): Dotenv {
  const text = file.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const values = new Map<string, string>()
  const badLines: number[] = []
  let at = 0
  let line = 1
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  while (at < text.length) {
    const start = at
    if (!take(NOTHING)) {
      const name = take(NAME)?.[1]
      const value = name === undefined ? undefined : takeValue(take)
      if (name !== undefined && value !== undefined) {
        values.set(name, value)
      } else {
        badLines.push(line)
        at = start
        take(LINE)
      }
    }
    line += countFeeds(text, start, at)
  }
  return { values, badLines }
}

/** @returns undefined if the value is ambiguous */
function takeValue(take: (pattern: RegExp) => RegExpExecArray | null): string | undefined {
  const quoted = take(QUOTED)
  if (quoted) return quoted[2] ?? withoutEscapes(quoted[1] ?? '')
  const bare = (take(LINE)?.[1] ?? '').replace(/[ \t]#.*/s, '').trim()
  return /["'`#]/.test(bare) ? undefined : bare
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
])

function withoutEscapes(text: string): string {
  return text.replace(/\\([\s\S])/g, (whole, character: string) => ESCAPES.get(character) ?? whole)
}

function countFeeds(text: string, start: number, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
