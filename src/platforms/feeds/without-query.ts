/** An address without the parts that may contain a secret: query, fragment, user and password. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
