import { type AppError, invalidField } from '../../model/app-error.js'
import type { SourceEcho } from '../../model/sources/source-definition.js'
import type { HttpRequest, Reply } from '../http/route.js'

/**
 * The answer to a request by which a service checks the address.
 *
 * @returns undefined for another request
 * @throws AppError `invalid/invalid_field` for a value that no service sends
 */
export function echoReply(echo: SourceEcho | undefined, { search, headers }: HttpRequest): Reply | undefined {
  if (echo === undefined) return undefined
  if ('query' in echo) {
    const [value, ...others] = new URLSearchParams(search).getAll(echo.query)
    if (value === undefined) return undefined
    if (others.length > 0 || !QUERY_VALUE.test(value)) throw unusable(echo.query)
    return { status: 200, type: 'text/plain; charset=utf-8', body: value }
  }
  const value = headers[echo.header.toLowerCase()]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !HEADER_VALUE.test(value)) throw unusable(echo.header)
  return { status: 200, body: '{}', headers: [echo.header, value] }
}

const QUERY_VALUE = /^[\x20-\x7e]{1,1024}$/u
const HEADER_VALUE = /^[\x21-\x7e]{1,256}$/u

function unusable(name: string): AppError {
  return invalidField(name, `${name} must be there once, with up to 1,024 characters of ASCII.`)
}
