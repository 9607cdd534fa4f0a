import type { TimesSummary } from './statistics.js'

/** Milliseconds that one call of the board's session store takes with 1,024 live sessions. */
export type SessionStoreTimes = Record<'login' | 'check' | 'purge', TimesSummary>
