/** With its `?`, or empty. Absent parameters are omitted; a parameter with several values is repeated. */
export function toQueryString<Parameters extends QueryParameters<Parameters>>(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries<QueryValue>(parameters)) {
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) query.append(name, text)
  }
  return query.size > 0 ? `?${query}` : ''
}

type QueryValue = string | readonly string[] | undefined
type QueryParameters<Names> = { [Name in keyof Names]: QueryValue }
