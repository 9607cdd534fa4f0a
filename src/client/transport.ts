import {
  exchange as exchangeHttp,
  type HttpAddress,
  type HttpAnswer,
  type HttpCall,
  type OpenAnswer,
  openAnswer as openHttpAnswer,
} from '../http/exchange.js'
import { HttpFailure, type HttpFailureKind } from '../http/http-failure.js'
import { AppError } from '../model/app-error.js'
import type { ServerNames } from './answer.js'

/** Address of one of our servers. */
export type ServerAddress =
  /** Base address, http or https, without trailing slash. May have a path. */
  | { apiUrl: string }
  /** The socket of the process that owns the files. */
  | { socketPath: string }

export type TransportCall = Omit<HttpCall, 'maxAnswerBytes' | 'totalSeconds'> &
  Partial<Pick<HttpCall, 'maxAnswerBytes'>>

/** A longer answer would not fit into one string. */
const MAX_ANSWER_BYTES = 500 * 1024 * 1024

/**
 * One request over its own connection.
 *
 * @throws AppError `unavailable/server_unreachable` if nothing can be reached there, `unavailable/connection_lost`,
 *   `unavailable/server_timeout`, `unavailable/not_a_…`, `too_large/answer_too_large`; the signal's reason once it is
 *   aborted
 */
export async function exchange(address: ServerAddress, call: TransportCall, names: ServerNames): Promise<HttpAnswer> {
  try {
    return await exchangeHttp(toHttpAddress(address), { maxAnswerBytes: MAX_ANSWER_BYTES, ...call })
  } catch (error) {
    throw toRefusal(address, names, error)
  }
}

/** Like `exchange`, with a streamed answer. @throws as `exchange` */
export async function openAnswer(address: ServerAddress, call: TransportCall, names: ServerNames): Promise<OpenAnswer> {
  try {
    const answer = await openHttpAnswer(toHttpAddress(address), { maxAnswerBytes: MAX_ANSWER_BYTES, ...call })
    return {
      ...answer,
      chunks: async function* () {
        try {
          yield* answer.chunks()
        } catch (error) {
          throw toRefusal(address, names, error)
        }
      },
    }
  } catch (error) {
    throw toRefusal(address, names, error)
  }
}

function toRefusal(address: ServerAddress, names: ServerNames, error: unknown): unknown {
  return error instanceof HttpFailure ? REFUSALS[error.kind](nameOf(address), names, error) : error
}

const REFUSALS: Record<HttpFailureKind, (name: string, names: ServerNames, error: HttpFailure) => AppError> = {
  unreachable: (name, { givenBy }, { reason, cause }) => {
    const start = `Start one with "daybook serve", or give its address with ${givenBy}.`
    return failure('server_unreachable', `No server answers at ${name} (${reason}). ${start}`, cause)
  },
  untrusted: (name, _, { reason, advice, cause }) =>
    failure('server_unreachable', `The server at ${name} cannot be used: ${reason}. ${advice}`, cause),
  lost: (name, _, { reason, cause }) =>
    failure('connection_lost', `The connection to ${name} broke (${reason}). Try again.`, cause),
  silent: (name, _, { reason }) =>
    failure('server_timeout', `${name} did not answer in ${reason}. Try again later, or look at the server's log.`),
  not_http: (name, { mismatchCode, givenBy }, { cause }) =>
    failure(mismatchCode, `${name} does not speak HTTP. Check ${givenBy}.`, cause),
  too_large: (_, __, { reason }) =>
    new AppError('too_large', 'answer_too_large', `The answer is larger than ${reason}. Ask for less with --limit.`),
}

function failure(code: string, detail: string, cause?: unknown): AppError {
  return new AppError('unavailable', code, detail, { cause })
}

function toHttpAddress(address: ServerAddress): HttpAddress {
  return 'socketPath' in address ? address : { baseUrl: address.apiUrl }
}

/** How messages name a server. */
export function nameOf(address: ServerAddress): string {
  return 'socketPath' in address ? address.socketPath : address.apiUrl
}
