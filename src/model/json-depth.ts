/** Maximum nesting of JSON that is sent or stored. Source: decisions, section 2. */
export const JSON_DEPTH = 64

const CUT = '[nested too deeply to be kept]'

/** @param value parsed JSON, which has only own members */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some(each => isDeeperThan(each, levels - 1))
  for (const member in value) if (isDeeperThan(value[member as keyof typeof value], levels - 1)) return true
  return false
}

/** A copy in which a marker replaces each object and list nested deeper. */
export function cutToDepth(value: Record<string, unknown>, levels: number): Record<string, unknown> {
  // `fromEntries` defines members, so one named `__proto__` stays ordinary data.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutMember(member, levels - 1)]))
}

function cutMember(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return CUT
  if (Array.isArray(value)) return value.map(element => cutMember(element, levels - 1))
  return cutToDepth(value as Record<string, unknown>, levels)
}
