import { AppError } from '../../../model/app-error.js'

interface Failure {
  category: 'unavailable'
  /** SQLSTATE of the errors, or how it begins. */
  states: readonly string[]
  message: string
  /** The message ends with that of the server, which names an object of the database. */
  namesObject?: boolean
  hint: string
  retryAfterSeconds: number
}

/** Failures by code. If several fit, the first one applies. */
const FAILURES = {
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
    hint: 'Check whether it is a standby, and default_transaction_read_only. Name the primary in the address.',
    retryAfterSeconds: 5,
  },
  store_refused: {
    category: 'unavailable',
    states: ['28'],
    message: 'The database server refuses the login.',
    hint: 'Check the user, its password, that only the owner can read its password file, and pg_hba.conf.',
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
    message: 'The database role lacks the rights for this',
    namesObject: true,
    hint: 'Grant them as the role that owns it. `daybook ledger migrate --grant-to` grants the rights on the tables of a ledger.',
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
} as const satisfies Record<string, Failure>

/** Without a SQLSTATE. */
const NO_TLS: Failure = {
  category: 'unavailable',
  states: [],
  message: 'No TLS connection to the database server could be made.',
  hint: 'Check sslmode and sslrootcert in the address, and the certificate of the server.',
  retryAfterSeconds: 2,
}

/** Errors of the network and of the driver that have no SQLSTATE. */
const NETWORK_CODES = /^(?:EAI_|E[A-Z]{3,})/
const TLS_CODES = /^(?:ERR_(?:TLS|SSL)_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|CERT_)/
const CONNECTION_FAILURE = '08006'
const DRIVER_LOST = /Connection terminated|timeout expired|Query read timeout|not queryable|server closed/i
const DRIVER_TLS = /SSL connection/i
/** The driver itself refuses to log in, for example without a password. */
const DRIVER_LOGIN = /^SASL: /
const INVALID_PASSWORD = '28P01'

/**
 * Translates an error of the driver into an expected error. An unknown error is returned as it is: it is a defect. The
 * message never contains values of a statement.
 *
 * @param place of a server to which no connection could be opened
 */
export function toStoreError(error: unknown, place?: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const state = stateOf(error) ?? stateOfDriver(error)
  if (state === undefined && isOfTls(error)) return toAppError('store_failed', NO_TLS, { cause: error, place })
  const known = Object.entries(FAILURES).find(([, { states }]) => states.some(begins => state?.startsWith(begins)))
  if (!known) return error
  return toAppError(...known, { cause: error, place })
}

export function readOnly(place: string): AppError {
  return toAppError('store_read_only', FAILURES.store_read_only, { place })
}

function toAppError(
  code: string,
  { message, namesObject, hint, retryAfterSeconds, category }: Failure,
  { cause, place }: { cause?: Error; place?: string | undefined } = {},
): AppError {
  const detail = namesObject && cause ? `${message}: ${cause.message}.` : message
  const operatorDetail = place === undefined ? undefined : cause ? `${place}: ${textOf(cause)}` : place
  return new AppError(category, code, detail, { hint, retryAfterSeconds, operatorDetail, ...(cause ? { cause } : {}) })
}

/** One that was tried at several IP addresses has an error for each. */
function textOf(error: Error): string {
  const errors = error instanceof AggregateError ? (error.errors as Error[]) : [error]
  return errors.map(({ message }) => message).join('; ')
}

/** A server has answered, or the driver could not do what the server asked for. */
export function isOfServer(error: unknown): boolean {
  return stateOf(error) !== undefined || (error instanceof Error && DRIVER_LOGIN.test(error.message))
}

/** SQLSTATE of an error that the server has sent. */
export function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'severity' in error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : undefined
}

function stateOfDriver(error: Error): string | undefined {
  if (DRIVER_LOGIN.test(error.message)) return INVALID_PASSWORD
  return isLost(error) ? CONNECTION_FAILURE : undefined
}

function isLost(error: Error): boolean {
  const parts = error instanceof AggregateError ? error.errors : []
  return (
    NETWORK_CODES.test(codeOf(error)) || DRIVER_LOST.test(error.message) || parts.some(part => isLost(part as Error))
  )
}

function isOfTls(error: Error): boolean {
  return TLS_CODES.test(codeOf(error)) || DRIVER_TLS.test(error.message)
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}
