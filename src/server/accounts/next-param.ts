/** Where to go after a login, as the query says it. Given several times it says nothing. What it is worth is `safeNext`'s business. */
export function nextInQuery(search: string): string | undefined {
  const [next, ...others] = new URLSearchParams(search).getAll('next')
  return others.length === 0 ? next : undefined
}
