/** `DAYBOOK_PORT` is another name of `EVENT_PORT`. The names of the specification take precedence. */
const OWN = 'EVENT_'
const ALIAS = 'DAYBOOK_'

/** The other name of a setting; only those of the ledger have one. */
export function aliasOf(name: string): string | undefined {
  return name.startsWith(OWN) ? `${ALIAS}${name.slice(OWN.length)}` : undefined
}

/** The value under a setting's name or its alias. An empty value counts as none. */
export function findVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const alias = aliasOf(name)
  return env[name] || (alias === undefined ? undefined : env[alias]) || undefined
}
