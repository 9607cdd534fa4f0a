import { createHmac } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import { AppError, invalidField } from '../../model/app-error.js'
import type { Verification } from '../../model/events/event.js'
import type { SourceDefinition, SourceProof } from '../../model/sources/source-definition.js'
import type { WebhookDelivery } from '../adapter.js'
import { checkStandardWebhook, standardKey, TOLERANCE_SECONDS } from '../signatures/standard-webhooks.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../signatures/verification.js'
import { readOwnBody } from './body.js'
import { compilePointer } from './pointer.js'

type HmacProof = Extract<SourceProof, { type: 'hmac' }>

/** @param now epoch milliseconds; @throws AppError `unauthenticated/signature_invalid` */
type Check = (delivery: WebhookDelivery, secrets: readonly string[], now: number) => void

/** Source: Slack, "Verifying requests from Slack". */
const SLACK: HmacProof = {
  ...{ type: 'hmac', algorithm: 'sha256', header: 'X-Slack-Signature', prefix: 'v0=', encoding: 'hex' },
  signed: 'v0:{timestamp}:{body}',
  timestamp: { header: 'X-Slack-Request-Timestamp' },
}

const PARTS = /\{(body|timestamp|header:[A-Za-z0-9-]{1,100})\}/u
const EPOCH = /^\d{1,13}$/u
const TOKENS: readonly SourceProof['type'][] = ['token', 'basic', 'body']
/** Larger numbers are milliseconds. */
const MOST_SECONDS = 1e11

/**
 * Compiles how deliveries prove themselves.
 *
 * @returns a function that verifies; it throws `unauthenticated/signature_invalid`, and `forbidden/source_closed` for a source
 *   that needs a secret and has none
 * @throws AppError `invalid/invalid_field` with the place in the definition
 */
export function compileProof({ name, proof }: Pick<SourceDefinition, 'name' | 'proof'>) {
  const check = compileCheck(proof)
  return (delivery: WebhookDelivery, secrets: readonly string[], now: number): Verification => {
    if (proof.type === 'feed') {
      throw new AppError('forbidden', 'source_closed', 'This source is a feed, so it accepts no deliveries.')
    }
    if (check === undefined) return 'none'
    const usable = usableSecrets(secrets)
    if (usable.length === 0) {
      const hint = `Set one with "daybook sources add ${name} --secret-file <file>".`
      throw new AppError('forbidden', 'source_closed', 'This source has no secret, so it accepts nothing.', { hint })
    }
    check(delivery, usable, now)
    return TOKENS.includes(proof.type) ? 'token' : 'signature'
  }
}

function compileCheck(proof: SourceProof): Check | undefined {
  switch (proof.type) {
    case 'none':
      return undefined
    case 'feed':
      checkFeedUrl(proof.url)
      return undefined
    case 'token':
      return (delivery, secrets) => checkToken(shownAt(delivery, proof), secrets)
    case 'basic':
      return (delivery, secrets) => checkToken(passwordOf(delivery, proof.username), secrets)
    case 'body':
      return compileBodyToken(proof.at)
    case 'standard':
      return checkStandard
    case 'slack':
      return compileHmac(SLACK)
    case 'hmac':
      return compileHmac(proof)
  }
}

function checkFeedUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && parsed.username === '' && parsed.password === '') return
  throw invalidField('/proof/url', '/proof/url must be an http or https address without a user and a password.')
}

function checkToken(shown: string | undefined, secrets: readonly string[]): void {
  if (shown !== undefined && anyMatches(secrets, secret => safeEqual(secret, shown))) return
  throw signatureInvalid(
    'The delivery does not show a secret of this source.',
    'Compare the secret of the hook with the one of the source.',
  )
}

function shownAt({ headers }: WebhookDelivery, { header, prefix = '' }: { header: string; prefix?: string }) {
  const value = headers[header.toLowerCase()]
  return value?.startsWith(prefix) ? value.slice(prefix.length) : undefined
}

/** Several services put their secret into the payload. */
function compileBodyToken(at: string): Check {
  const place = compilePointer(at, '/proof/at')
  return (delivery, secrets) => {
    const shown = place(readOwnBody(delivery).root)
    checkToken(typeof shown === 'string' ? shown : undefined, secrets)
  }
}

/** Source: RFC 7617. */
function passwordOf({ headers }: WebhookDelivery, username: string): string | undefined {
  const [, encoded] = /^basic ([A-Za-z0-9+/=]+)$/iu.exec(headers.authorization ?? '') ?? []
  const shown = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  return shown.startsWith(`${username}:`) ? shown.slice(username.length + 1) : undefined
}

const checkStandard: Check = (delivery, secrets, now) => {
  const header = delivery.headers['webhook-signature']
  if (!header) throw notSigned('webhook-signature')
  checkStandardWebhook(delivery, header, secrets.flatMap(standardKey), now)
}

function compileHmac(proof: HmacProof): Check {
  const parts = signedParts(proof)
  const { algorithm, encoding, timestamp } = proof
  return (delivery, secrets, now) => {
    const signatures = valuesAt(delivery, proof, proof).map(shown => (encoding === 'hex' ? shown.toLowerCase() : shown))
    if (signatures.length === 0) throw notSigned(proof.header)
    const [at] = timestamp === undefined ? [] : valuesAt(delivery, timestamp, proof)
    const matches = (secret: string) => {
      const hmac = createHmac(algorithm, secret)
      for (const part of parts) hmac.update(part(delivery, at))
      const expected = hmac.digest(encoding)
      return anyMatches(signatures, shown => safeEqual(expected, shown))
    }
    if (!anyMatches(secrets, matches)) {
      throw signatureInvalid(
        'The signature does not match any secret of this source.',
        'Compare the secret of the hook with the one of the source, and what the sender signs with its "signed".',
      )
    }
    if (timestamp !== undefined) checkAge(at, timestamp.tolerance_seconds ?? TOLERANCE_SECONDS, now)
  }
}

/** The values of a header after their prefix. A header of several values has a separator. */
function valuesAt(
  { headers }: WebhookDelivery,
  { header, prefix = '' }: { header: string; prefix?: string },
  { separator }: HmacProof,
): string[] {
  const value = headers[header.toLowerCase()] ?? ''
  const values = separator === undefined ? [value] : value.split(separator)
  return values
    .map(each => each.trim())
    .filter(each => each.startsWith(prefix) && each.length > prefix.length)
    .map(each => each.slice(prefix.length))
}

type SignedPart = (delivery: WebhookDelivery, timestamp: string | undefined) => string | Uint8Array

function signedParts({ signed = '{body}', timestamp }: HmacProof): SignedPart[] {
  const words = signed.split(PARTS)
  const places = words.filter((_, index) => index % 2 === 1)
  if (places.filter(place => place === 'body').length !== 1) {
    throw invalidField('/proof/signed', '/proof/signed must have {body} once: what is not signed proves nothing.')
  }
  if (places.includes('timestamp') !== (timestamp !== undefined)) {
    const detail = '/proof/signed has {timestamp} exactly if /proof/timestamp names the header with it.'
    throw invalidField('/proof/signed', detail)
  }
  const literals = words.filter((_, index) => index % 2 === 0)
  if (literals.some(text => /[{}]/u.test(text))) {
    const detail = '/proof/signed has a part that is unknown. Write {body}, {timestamp}, {header:<name>} and text.'
    throw invalidField('/proof/signed', detail)
  }
  return words.map((word, index): SignedPart => {
    if (index % 2 === 0) return () => word
    if (word === 'body') return ({ body }) => body
    if (word === 'timestamp') return (_, at) => at ?? ''
    const header = word.slice('header:'.length).toLowerCase()
    return ({ headers }) => headers[header] ?? ''
  })
}

function checkAge(at: string | undefined, toleranceSeconds: number, now: number): void {
  const number = at !== undefined && EPOCH.test(at) ? Number(at) : Number.NaN
  const milliseconds = number < MOST_SECONDS ? number * 1_000 : number
  if (Math.abs(now - milliseconds) <= toleranceSeconds * 1_000) return
  throw signatureInvalid(
    'The timestamp of the signature is missing, too old, or in the future.',
    `Deliveries are valid for ${toleranceSeconds} seconds: compare the clocks of both machines.`,
  )
}

function notSigned(header: string): AppError {
  return signatureInvalid(`The delivery has no signature in ${header}.`, 'Give the hook the secret of the source.')
}
