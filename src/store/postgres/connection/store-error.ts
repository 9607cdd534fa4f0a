import { AppError } from '../../../model/app-error.js'

interface Failure {
  category: 'unavailable'
  /** SQLSTATE of the errors, or how it begins. */
  states: readonly string[]
  message: string
  hint: string
  retryAfterSeconds: number
}

/** Failures by code. If several fit, the first one applies. */
const FAILURES: Readonly<Record<string, Failure>> = {
  store_full: {
    category: 'unavailable',
    states: ['53100', '53200'],
    message: 'The database server has no room left; nothing was stored.',
    hint: 'Free some space: then requests succeed again.',
    retryAfterSeconds: 5,
  },
  store_read_only: {
    category: 'unavailable',
    states: ['25006'],
    message: 'The database server accepts no writes.',
    hint: 'Check whether it is a standby, or in read-only mode.',
    retryAfterSeconds: 5,
  },
  store_refused: {
    category: 'unavailable',
    states: ['28'],
    message: 'The database server refuses the login.',
    hint: 'Check the user, its password and pg_hba.conf.',
    retryAfterSeconds: 5,
  },
  store_missing: {
    category: 'unavailable',
    states: ['3D000'],
    message: 'The database server has no database of this name.',
    hint: 'Create it with `createdb`, or correct the name.',
    retryAfterSeconds: 5,
  },
  store_forbidden: {
    category: 'unavailable',
    states: ['42501'],
    message: 'The database role lacks the rights for this.',
    hint: 'Run `daybook ledger migrate` as the role that owns the tables.',
    retryAfterSeconds: 60,
  },
  store_pooled: {
    category: 'unavailable',
    states: ['42P05', '26000'],
    message: 'A connection pooler passes statements of one connection to several sessions of the database.',
    hint: 'Set the pooler to session mode, or use the address of the database server.',
    retryAfterSeconds: 60,
  },
  store_corrupt: {
    category: 'unavailable',
    states: ['XX001', 'XX002'],
    message: 'The database is damaged.',
    hint: 'Restore it from a backup.',
    retryAfterSeconds: 60,
  },
  busy: {
    category: 'unavailable',
    states: ['55P03', '57014', '40'],
    message: 'The database did not answer in time.',
    hint: 'Try again in a moment.',
    retryAfterSeconds: 1,
  },
  store_failed: {
    category: 'unavailable',
    states: ['08', '53', '57P', '58', '25P03'],
    message: 'The database server is not ready, or cannot be reached.',
    hint: 'Check that it runs, its address, and its limit of connections.',
    retryAfterSeconds: 2,
  },
}

/** Errors of the network and of the driver that have no SQLSTATE. */
const NETWORK_CODES = /^(?:E[A-Z]{3,}|ERR_(?:TLS|SSL)_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|CERT_)/
const CONNECTION_FAILURE = '08006'
const DRIVER_LOST =
  /Connection terminated|timeout expired|Query read timeout|not queryable|SSL connection|server closed/i

/**
 * Translates an error of the driver into an expected error. An unknown error is returned as it is: it is a defect. The
 * message never contains values of a statement.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const state = stateOf(error) ?? (isLost(error) ? CONNECTION_FAILURE : undefined)
  const known = Object.entries(FAILURES).find(([, { states }]) => states.some(begins => state?.startsWith(begins)))
  if (!known) return error
  const [code, { category, message, hint, retryAfterSeconds }] = known
  return new AppError(category, code, message, { hint, retryAfterSeconds, cause: error })
}

/** SQLSTATE of an error that the server has sent. */
export function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'severity' in error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : undefined
}

function isLost(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  const parts = error instanceof AggregateError ? error.errors : []
  return NETWORK_CODES.test(code) || DRIVER_LOST.test(error.message) || parts.some(part => isLost(part as Error))
}
