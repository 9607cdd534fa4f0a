/** Names and prefixes of headers that are kept with an unmapped delivery, because a later mapping may read them. */
const KEPT = ['content-type', 'user-agent']
const KEPT_PREFIXES = ['x-', 'ce-', 'webhook-id', 'webhook-timestamp', 'svix-id', 'svix-timestamp']
/** Parts of names of headers that name the event or the delivery. */
const NAMES_EVENT = /event|hook|topic|delivery|request-id/u
/** May contain a secret or a person's address. Proxies add the request's address, whose query may have the secret. */
const NEVER =
  /token|secret|auth|sign|hmac|cookie|password|api-?key|original|rewrite|-(?:ur[il]|path|query)$|^x-(?:forwarded|real-ip|client-ip|request-ip)/u

const MOST = 32
const CHARACTERS = 256

/**
 * @param headers names in lower case
 * @param secrets of the source: a header that has one of them is left out, under any name
 * @param except the header of the proof, in lower case
 */
export function keptHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  { secrets, except }: { secrets: readonly string[]; except: string | undefined },
): Record<string, string> {
  const hidden = secrets.filter(secret => secret !== '').flatMap(secret => [secret, encodeURIComponent(secret)])
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    const isKept =
      KEPT.includes(name) || KEPT_PREFIXES.some(prefix => name.startsWith(prefix)) || NAMES_EVENT.test(name)
    if (
      !isKept ||
      name === except ||
      NEVER.test(name) ||
      value === undefined ||
      hidden.some(secret => value.includes(secret))
    )
      return []
    return [[name, value.slice(0, CHARACTERS)] as const]
  })
  return Object.fromEntries(kept.slice(0, MOST))
}
