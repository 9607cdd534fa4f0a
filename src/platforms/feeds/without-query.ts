/** An address without what may be a secret in it: the query, the fragment, and a user with a password. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
