import { createCallerAddress, type ToAddress } from '../../login/caller-address.js'
import type { HttpRequest } from './route.js'

/** The address of a request's sender, behind trusted proxies, for logs. */
export type CallerAddress = (req: Pick<HttpRequest, 'headers' | 'socket'>) => string

/** @throws AppError `configuration/proxy_invalid` */
export function createRequestAddress(trustedProxies: readonly string[]): CallerAddress {
  const toAddress = createCallerAddress(trustedProxies)
  return req => addressOf(req, toAddress)
}

/** The caller's address in the form of `toAddress`. */
export function addressOf({ socket, headers }: Parameters<CallerAddress>[0], toAddress: ToAddress): string {
  const forwardedFor = headers['x-forwarded-for']
  return toAddress(socket.remoteAddress, typeof forwardedFor === 'string' ? forwardedFor : undefined)
}
