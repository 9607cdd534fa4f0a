/**
 * Whether a block printed what the page shows after it. A page shows an example: times and generated ids are others
 * each time, JSON is indented and shortened, and `…` matches any text.
 */

/** What differs, in words; empty when the page is right. */
export function differences(language: string, shown: string, printed: string): string[] {
  if (language === 'json') return jsonDifferences(JSON.parse(shown), readJson(printed), '')
  return textDifferences(toLines(shown), toLines(printed))
}

function readJson(printed: string): unknown {
  try {
    return JSON.parse(printed)
  } catch {
    return `not JSON: ${printed}`
  }
}

/** Members that are not shown may be there; elements of a list may not. */
function jsonDifferences(shown: unknown, printed: unknown, path: string): string[] {
  if (Array.isArray(shown) && Array.isArray(printed) && shown.length === printed.length) {
    return shown.flatMap((element, index) => jsonDifferences(element, printed[index], `${path}/${index}`))
  }
  if (isObject(shown) && isObject(printed)) {
    return Object.entries(shown).flatMap(([name, value]) => jsonDifferences(value, printed[name], `${path}/${name}`))
  }
  if (typeof shown === 'string' && typeof printed === 'string' && lineMatches(shown, printed)) return []
  if (shown === printed) return []
  return [`${path || '/'}: shown ${JSON.stringify(shown)}, printed ${JSON.stringify(printed)}`]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A line that is only `…` matches any number of lines. */
function textDifferences(shown: readonly string[], printed: readonly string[]): string[] {
  let at = 0
  for (const [index, line] of shown.entries()) {
    if (line.trim() === '…') {
      const next = shown[index + 1]
      while (at < printed.length && (next === undefined || !lineMatches(next, printed[at] ?? ''))) at += 1
    } else if (at < printed.length && lineMatches(line, printed[at] ?? '')) {
      at += 1
    } else {
      return [`shown "${line}", printed "${printed[at] ?? ''}", in\n${printed.join('\n')}`]
    }
  }
  return at === printed.length ? [] : [`printed, and not shown: "${printed.slice(at).join('\n')}"`]
}

function toLines(text: string): string[] {
  return text.trimEnd().split('\n')
}

const CHANGING =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?|(?:sub|card|run)_[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function lineMatches(shown: string, printed: string): boolean {
  const parts = steady(shown)
    .split('…')
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(steady(printed))
}

/** Without what changes, and with single blanks. */
function steady(text: string): string {
  return text.replace(CHANGING, '#').replace(/\s+/g, ' ').trim()
}
