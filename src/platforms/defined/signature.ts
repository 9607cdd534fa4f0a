import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { safeEqual } from '../../login/safe-equal.js'
import { AppError, invalidField } from '../../model/app-error.js'
import type { SignatureProof, SourceProof } from '../../model/sources/source-definition.js'
import { findTimestamp } from '../../model/timestamp.js'
import type { WebhookDelivery } from '../adapter.js'
import { formFields, isForm, textOf } from '../deliveries/delivery-body.js'
import { anyMatches, signatureInvalid } from '../signatures/match-secrets.js'
import { TOLERANCE_SECONDS } from '../signatures/standard-webhooks.js'

const PARTS = /\{(body|form|timestamp|header:[A-Za-z0-9-]{1,100})\}/u
const EPOCH = /^\d{1,13}$/u
/** Larger numbers are in milliseconds. */
const MOST_SECONDS = 1e11
const KEY_BYTES = 32
/** Maximum per delivery: each takes time before anything is verified. A sender that changes its secret signs with two. */
const MOST_SIGNATURES = 10
/** Checking one of Ed25519 reads the whole body, for each key: so few of them, and of a body that is not large. */
const ED25519 = { signatures: 2, bytes: 1024 * 1024 }
/** A form has to be parsed and sorted before anything is verified, which takes time for each field. */
const FORM = { fields: 1_000, bytes: 2 * 1024 * 1024 }

/** @param now epoch milliseconds; @throws AppError `unauthenticated/signature_invalid`, `too_large/body_too_large` */
export type CheckSignature = (delivery: WebhookDelivery, secrets: readonly string[], now: number) => void

/** Checks the signature in a header. @throws AppError `invalid/invalid_field` with the place in the definition */
export function compileSignature(proof: SignatureProof): CheckSignature {
  const parts = signedParts(proof)
  const { encoding, timestamp } = proof
  return (delivery, secrets, now) => {
    const signatures = valuesAt(delivery, proof, proof)
      .slice(0, proof.type === 'hmac' ? MOST_SIGNATURES : ED25519.signatures)
      .map(shown => (encoding === 'hex' ? shown.toLowerCase() : shown))
    if (signatures.length === 0) throw notSigned(proof.header)
    const [at] = timestamp === undefined ? [] : valuesAt(delivery, timestamp, proof)
    const signed = parts.map(part => part(delivery, at))
    if (!anyMatches(secrets, matcher(proof, signed, signatures))) {
      throw signatureInvalid(
        'The signature does not match any secret of this source.',
        'Compare the secret of the hook with the one of the source, and what the sender signs with its "signed".',
      )
    }
    if (timestamp !== undefined) checkAge(at, timestamp.tolerance_seconds ?? TOLERANCE_SECONDS, now)
  }
}

/** The HMAC of a text, in the form that the proof defines. */
export function hmacOf(
  { algorithm, encoding }: Pick<Extract<SignatureProof, { type: 'hmac' }>, 'algorithm' | 'encoding'>,
  secret: string,
  signed: readonly (string | Uint8Array)[],
): string {
  const hmac = createHmac(algorithm, secret)
  for (const part of signed) hmac.update(part)
  return hmac.digest(encoding)
}

export function notSigned(header: string): Error {
  return signatureInvalid(`The delivery has no signature in ${header}.`, 'Give the hook the secret of the source.')
}

/** Whether a secret created one of the signatures. A body can be large, so its HMAC is computed once per secret. */
function matcher(
  proof: SignatureProof,
  signed: readonly (string | Uint8Array)[],
  signatures: readonly string[],
): (secret: string) => boolean {
  if (proof.type === 'hmac') {
    return secret => {
      const expected = hmacOf(proof, secret, signed)
      return anyMatches(signatures, shown => safeEqual(expected, shown))
    }
  }
  if (signed.reduce((sum, part) => sum + part.length, 0) > ED25519.bytes) throw tooLarge('Ed25519', ED25519.bytes)
  const bytes = Buffer.concat(signed.map(part => Buffer.from(part)))
  return secret => {
    const key = publicKey(secret, proof.encoding)
    return (
      key !== undefined && anyMatches(signatures, shown => verify(null, bytes, key, Buffer.from(shown, proof.encoding)))
    )
  }
}

/** Source: RFC 8037. @returns undefined for a text that is not a key */
function publicKey(text: string, encoding: 'hex' | 'base64'): KeyObject | undefined {
  const bytes = Buffer.from(text, encoding)
  if (bytes.byteLength !== KEY_BYTES) return undefined
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
}

/** The values of a header after their prefix. If the proof defines a separator, the header has several values. */
function valuesAt(
  { headers }: WebhookDelivery,
  { header, prefix = '' }: { header: string; prefix?: string },
  { separator }: SignatureProof,
): string[] {
  const value = headers[header.toLowerCase()] ?? ''
  const values = separator === undefined ? [value] : value.split(separator)
  return values
    .map(each => each.trim())
    .filter(each => each.startsWith(prefix) && each.length > prefix.length)
    .map(each => each.slice(prefix.length))
}

type SignedPart = (delivery: WebhookDelivery, timestamp: string | undefined) => string | Uint8Array

function signedParts({ signed = '{body}', timestamp }: SignatureProof): SignedPart[] {
  const words = signed.split(PARTS)
  const places = words.filter((_, index) => index % 2 === 1)
  if (places.filter(place => place === 'body' || place === 'form').length !== 1) {
    throw invalidField(
      '/proof/signed',
      '/proof/signed must have {body} or {form} once: what is not signed proves nothing.',
    )
  }
  if (places.includes('timestamp') !== (timestamp !== undefined)) {
    const detail = '/proof/signed has {timestamp} exactly if /proof/timestamp names the header with it.'
    throw invalidField('/proof/signed', detail)
  }
  const literals = words.filter((_, index) => index % 2 === 0)
  if (literals.some(text => /[{}]/u.test(text))) {
    const detail =
      '/proof/signed has a part that is unknown. Write {body}, {form}, {timestamp}, {header:<name>} and text.'
    throw invalidField('/proof/signed', detail)
  }
  return words.map((word, index): SignedPart => {
    if (index % 2 === 0) return () => word
    if (word === 'body') return ({ body }) => body
    if (word === 'form') return sortedForm
    if (word === 'timestamp') return (_, at) => at ?? ''
    const header = word.slice('header:'.length).toLowerCase()
    return ({ headers }) => headers[header] ?? ''
  })
}

/** Whether the proof signs the fields of a form. The body is then read as a form, even if its text is also JSON. */
export function signsForm(proof: SourceProof): boolean {
  return 'signed' in proof && proof.signed?.includes('{form}') === true
}

/**
 * Names and values of the fields, sorted by name, without anything between them. Source: Twilio, "Validating signatures".
 *
 * @throws AppError `unauthenticated/signature_invalid`, `too_large/body_too_large`
 */
function sortedForm(delivery: WebhookDelivery): string {
  if (!isForm(delivery)) {
    throw signatureInvalid('The source signs a form, and the body is none.', 'Let the sender send a form.')
  }
  if (delivery.body.byteLength > FORM.bytes) throw tooLarge('A signed form', FORM.bytes)
  if (textOf(delivery).split('&', FORM.fields + 1).length > FORM.fields) {
    throw new AppError('too_large', 'body_too_large', `A signed form can have at most ${FORM.fields} fields.`)
  }
  return [...formFields(delivery)]
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([name, value]) => name + value)
    .join('')
}

function tooLarge(what: string, bytes: number): AppError {
  const message = `${what} can prove a body of at most ${bytes / 1024} KiB.`
  return new AppError('too_large', 'body_too_large', message)
}

function checkAge(at: string | undefined, toleranceSeconds: number, now: number): void {
  if (Math.abs(now - millisecondsOf(at ?? '')) <= toleranceSeconds * 1_000) return
  throw signatureInvalid(
    'The timestamp of the signature is missing, too old, or in the future.',
    `Deliveries are valid for ${toleranceSeconds} seconds: compare the clocks of both machines.`,
  )
}

function millisecondsOf(text: string): number {
  if (!EPOCH.test(text)) return (findTimestamp(text)?.micros ?? Number.NaN) / 1_000
  const number = Number(text)
  return number < MOST_SECONDS ? number * 1_000 : number
}
