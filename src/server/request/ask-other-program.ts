import { AppError, isRefusal } from '../../model/app-error.js'
import type { HttpRequest } from '../http/route.js'

/**
 * A request to one program, on behalf of which that program reads from the other one in the same process. Browsers send
 * the cookies of a host to all its ports, so the request may contain sessions of both.
 */
export type AskedThrough = Pick<HttpRequest, 'headers' | 'socket'>

/** Headers that belong to the program that received the request. */
const OWN_CREDENTIALS = ['authorization', 'x-event-admin-token', 'x-board-token', 'x-board-executor-token']

/**
 * Reads from the other program if its own rules admit the request: by its cookies alone, or because it is open.
 *
 * @param admit applies the rules of the other program
 * @returns undefined if it refuses
 */
export async function askOtherProgram<Result>(
  { headers, socket }: AskedThrough,
  admit: (req: AskedThrough & { local: false }) => Promise<unknown>,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  const kept = Object.entries(headers).filter(([name]) => !OWN_CREDENTIALS.includes(name))
  try {
    await admit({ headers: Object.fromEntries(kept), socket, local: false })
  } catch (error) {
    if (isRefusal(error) || (error instanceof AppError && error.category === 'misdirected')) return undefined
    throw error
  }
  return read()
}
