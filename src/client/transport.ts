import {
  exchange as exchangeHttp,
  type HttpAddress,
  type HttpAnswer,
  type HttpCall,
  type OpenAnswer,
  openAnswer as openHttpAnswer,
} from '../http/exchange.js'
import { HttpFailure, type HttpTrouble } from '../http/http-failure.js'
import { AppError } from '../model/app-error.js'

/** Where a ledger is. */
export type LedgerAddress =
  /** Base address, http or https, without a slash at its end. May have a path. */
  | { apiUrl: string }
  /** The socket of the process that owns the ledger's files. */
  | { socketPath: string }

export type TransportCall = Omit<HttpCall, 'maxAnswerBytes' | 'agent' | 'totalSeconds'>

/** Anything longer would not fit into one string. */
const MAX_ANSWER_BYTES = 500 * 1024 * 1024

/**
 * One request, over a connection of its own.
 *
 * @throws AppError `unavailable/server_unreachable` when nothing can be reached there, `unavailable/connection_lost`,
 *   `unavailable/server_timeout`, `unavailable/not_a_ledger`, `too_large/answer_too_large`;
 *   the signal's reason once it is aborted
 */
export async function exchange(address: LedgerAddress, call: TransportCall): Promise<HttpAnswer> {
  try {
    return await exchangeHttp(toHttpAddress(address), { ...call, maxAnswerBytes: MAX_ANSWER_BYTES })
  } catch (error) {
    throw toRefusal(address, error)
  }
}

/** The same, for an answer that is read as it comes. @throws as `exchange` */
export async function openAnswer(address: LedgerAddress, call: TransportCall): Promise<OpenAnswer> {
  try {
    const answer = await openHttpAnswer(toHttpAddress(address), { ...call, maxAnswerBytes: MAX_ANSWER_BYTES })
    return {
      ...answer,
      chunks: async function* () {
        try {
          yield* answer.chunks()
        } catch (error) {
          throw toRefusal(address, error)
        }
      },
    }
  } catch (error) {
    throw toRefusal(address, error)
  }
}

function toRefusal(address: LedgerAddress, error: unknown): unknown {
  return error instanceof HttpFailure ? REFUSALS[error.trouble](nameOf(address), error) : error
}

const REFUSALS: Record<HttpTrouble, (name: string, error: HttpFailure) => AppError> = {
  unreachable: (name, { reason, cause }) =>
    failure('server_unreachable', `No server answers at ${name} (${reason}). ${START}`, cause),
  lost: (name, { reason, cause }) =>
    failure('connection_lost', `The connection to ${name} broke (${reason}). Try again.`, cause),
  silent: (name, { reason }) => failure('server_timeout', `${name} did not answer in ${reason}. Try again later.`),
  not_http: (name, { cause }) => failure('not_a_ledger', `${name} does not speak HTTP. ${CHECK_ADDRESS}`, cause),
  too_large: (_, { reason }) =>
    new AppError('too_large', 'answer_too_large', `The answer is larger than ${reason}. Ask for less with --limit.`),
}

const START = 'Start one with "daybook serve", or say where it is with --api-url or EVENT_API_URL.'
const CHECK_ADDRESS = 'Check --api-url or EVENT_API_URL.'

function failure(code: string, detail: string, cause?: unknown): AppError {
  return new AppError('unavailable', code, detail, { cause })
}

function toHttpAddress(address: LedgerAddress): HttpAddress {
  return 'socketPath' in address ? address : { baseUrl: address.apiUrl }
}

function nameOf(address: LedgerAddress): string {
  return 'socketPath' in address ? address.socketPath : address.apiUrl
}
