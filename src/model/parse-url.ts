/**
 * An absolute URL, or one relative to the base; undefined for any other text. Do not ask `URL.canParse` before: that of
 * Node 20 refuses URLs with characters such as `ü`, as soon as V8 has optimised its caller.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
