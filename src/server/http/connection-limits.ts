import { readFileSync } from 'node:fs'

/** How much one program may have open at the same time. */
export interface ConnectionLimits {
  /** Connections. Above this number, the least important one is closed. */
  connections: number
  /** Event streams, exports and long polls together. */
  held: number
  /** Held answers of one user, or of one address without a user. */
  heldByCaller: number
  /** Held answers of all users of one address together. */
  heldByAddress: number
}

/** One uses about 12 KiB, so these are 50 MB. */
const MOST_CONNECTIONS = 4_096
const MOST_HELD = 256
const MOST_CONSUMERS = 2_048
/** For systems that do not report a limit. */
const USUAL_DESCRIPTORS = 1_024

/**
 * A process without free descriptors cannot open its database either. So each of the two programs accepts as many
 * connections as a quarter of the descriptors, and holds at most half of those.
 *
 * Source: docs/decisions/0031.
 */
export function connectionLimits(descriptors = readDescriptorLimit()): ConnectionLimits {
  const connections = Math.min(MOST_CONNECTIONS, Math.floor(descriptors / 4))
  const held = Math.min(MOST_HELD, Math.floor(connections / 2))
  return { connections, held, heldByCaller: Math.ceil(held / 2), heldByAddress: Math.ceil((held * 3) / 4) }
}

/**
 * Long polls of named consumers have their own places, which streams cannot take. There may be more of them, because
 * they need almost nothing while they wait. At least half of the connections are left for requests.
 *
 * Source: docs/decisions/0070.
 */
export function consumerLimits({ connections }: ConnectionLimits): Omit<ConnectionLimits, 'connections'> {
  const held = Math.min(MOST_CONSUMERS, Math.floor(connections / 2))
  return { held, heldByCaller: held, heldByAddress: held }
}

/** Node raises the soft limit to the hard one when it starts. Source: proc_pid_limits(5). */
function readDescriptorLimit(): number {
  if (process.platform !== 'linux') return USUAL_DESCRIPTORS
  const [, soft] = /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || USUAL_DESCRIPTORS
}
