import { sign } from 'node:crypto'
import type { AppAccount } from '../../model/platforms/reconciliation.js'

/** GitHub limits the lifetime, and recommends an issue time in the past, because clocks differ. */
const LIFE_SECONDS = 540
const EARLIER_SECONDS = 60
/** A token is reused for this long. */
const REUSE_MS = 300_000

/**
 * The credential of a GitHub App: a JSON Web Token signed with its private key.
 *
 * @param now epoch milliseconds
 * @returns a function that returns a token; the token stays valid for some minutes
 *
 * Source: GitHub, "Generating a JSON Web Token (JWT) for a GitHub App"; RFC 7519; RFC 7518, "RS256".
 */
export function appTokens(app: AppAccount, now: () => number): () => string {
  let made = { at: Number.NEGATIVE_INFINITY, token: '' }
  return () => {
    const at = now()
    if (Math.abs(at - made.at) > REUSE_MS) made = { at, token: appToken(app, Math.floor(at / 1_000)) }
    return made.token
  }
}

function appToken({ id, key }: AppAccount, nowSeconds: number): string {
  const claims = { iat: nowSeconds - EARLIER_SECONDS, exp: nowSeconds + LIFE_SECONDS, iss: id }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims].map(part => encode(JSON.stringify(part))).join('.')
  return `${signed}.${encode(sign('sha256', Buffer.from(signed), key))}`
}

function encode(bytes: string | Buffer): string {
  return Buffer.from(bytes).toString('base64url')
}
