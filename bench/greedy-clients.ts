import { UsageError } from './usage-error.js'

export const GREEDY_KINDS = ['idle', 'slowloris', 'readers', 'streams', 'pages'] as const
/** The behaviour of a client that takes more than its share. */
export type GreedyKind =
  /** Connects and sends nothing. */
  | 'idle'
  /** Sends a request byte by byte: half of these clients the headers, the other half the body. */
  | 'slowloris'
  /** Asks for a large page and reads none of it. */
  | 'readers'
  /** Opens an event stream and keeps it. */
  | 'streams'
  /** Reads one large page after the other. */
  | 'pages'

export type GreedyCounts = Record<GreedyKind, number>

export const GREEDY_COUNTS: GreedyCounts = { idle: 2_000, slowloris: 600, readers: 400, streams: 10_000, pages: 100 }

const MOST = 20_000

export interface GreedyPlan {
  port: number
  counts: GreedyCounts
}

/** Results of the clients of one kind. */
export interface GreedyResult {
  opened: number
  /** Connections that the server closed or refused. */
  closed: number
  /** Answers that began, by status. */
  answers: Record<string, number>
}

/** Reads `idle=2000,streams=0`; a kind that is not named keeps its number. @throws UsageError */
export function readGreedyCounts(text: string): GreedyCounts {
  const counts = { ...GREEDY_COUNTS }
  for (const part of text.split(',')) {
    const [name = '', number = ''] = part.trim().split('=')
    const kind = GREEDY_KINDS.find(known => known === name)
    const count = /^\d{1,5}$/.test(number) ? Number(number) : Number.NaN
    if (!kind || !(count <= MOST)) {
      throw new UsageError(`--greedy takes kind=number, up to ${MOST}, of ${GREEDY_KINDS.join(', ')}; got "${part}".`)
    }
    counts[kind] = count
  }
  return counts
}
