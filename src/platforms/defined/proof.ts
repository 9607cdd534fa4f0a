import { safeEqual } from '../../login/safe-equal.js'
import { AppError, invalidField } from '../../model/app-error.js'
import type { Verification } from '../../model/events/event.js'
import { parseUrl } from '../../model/parse-url.js'
import type { FeedProof, SourceDefinition, SourceProof } from '../../model/sources/source-definition.js'
import type { WebhookDelivery } from '../adapter.js'
import { isLoginHeader } from '../feeds/feed-login.js'
import { anyMatches, signatureInvalid, usableSecrets } from '../signatures/match-secrets.js'
import { checkStandardWebhook, standardKey } from '../signatures/standard-webhooks.js'
import { readOwnBody } from './body.js'
import { compilePointer } from './pointer.js'
import { type CheckSignature, compileSignature, notSigned } from './signature.js'

type HmacProof = Extract<SourceProof, { type: 'hmac' }>

/** Source: Slack, "Verifying requests from Slack". */
const SLACK: HmacProof = {
  type: 'hmac',
  algorithm: 'sha256',
  header: 'X-Slack-Signature',
  prefix: 'v0=',
  encoding: 'hex',
  signed: 'v0:{timestamp}:{body}',
  timestamp: { header: 'X-Slack-Request-Timestamp' },
}

const TOKENS: readonly SourceProof['type'][] = ['token', 'query', 'basic', 'body']

/**
 * Compiles the verification of deliveries.
 *
 * @returns a function that verifies; it throws `unauthenticated/signature_invalid`, `too_large/body_too_large`, and
 *   `forbidden/source_closed` if the source needs a secret and has none
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

function compileCheck(proof: SourceProof): CheckSignature | undefined {
  switch (proof.type) {
    case 'none':
      return undefined
    case 'feed':
      checkFeed(proof)
      return undefined
    case 'token':
      return (delivery, secrets) => checkToken(shownAt(delivery, proof), secrets)
    case 'query':
      return ({ query }, secrets) => checkToken(parameterOf(query, proof.parameter), secrets)
    case 'basic':
      return (delivery, secrets) => checkToken(passwordOf(delivery, proof.username), secrets, BASIC_CHALLENGE)
    case 'body':
      return compileBodyToken(proof.at)
    case 'standard':
      return checkStandard
    case 'slack':
      return compileSignature(SLACK)
    case 'hmac':
    case 'ed25519':
      return compileSignature(proof)
  }
}

function checkFeed({ url, login }: FeedProof): void {
  const parsed = parseUrl(url)
  if (!parsed) throw invalidField('/proof/url', '/proof/url must be an http or https address.')
  if (parsed.username !== '' || parsed.password !== '') {
    const detail = '/proof/url must have no user and no password: write them as /proof/login and the secret.'
    throw invalidField('/proof/url', detail)
  }
  if (login?.type !== 'token' || isLoginHeader(login.header)) return
  throw invalidField(
    '/proof/login/header',
    `/proof/login/header must not be ${login.header}, which the request has already.`,
  )
}

function checkToken(shown: string | undefined, secrets: readonly string[], challenge?: string): void {
  if (shown !== undefined && anyMatches(secrets, secret => safeEqual(secret, shown))) return
  throw signatureInvalid(
    'The delivery does not show a secret of this source.',
    'Compare the secret of the hook with the one of the source.',
    challenge,
  )
}

/** The value of a parameter that occurs once. */
function parameterOf(query: string | undefined, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(query).getAll(name)
  return others.length === 0 ? value : undefined
}

function shownAt({ headers }: WebhookDelivery, { header, prefix = '' }: { header: string; prefix?: string }) {
  const value = headers[header.toLowerCase()]
  return value?.startsWith(prefix) ? value.slice(prefix.length) : undefined
}

/** Several services put their secret into the payload. */
function compileBodyToken(at: string): CheckSignature {
  const place = compilePointer(at, '/proof/at')
  return (delivery, secrets) => {
    const shown = place(readOwnBody(delivery, false).root)
    checkToken(typeof shown === 'string' ? shown : undefined, secrets)
  }
}

/** Several senders send user and password only after an answer that asks for them. Source: RFC 7617. */
const BASIC_CHALLENGE = 'Basic realm="webhooks"'

/** Source: RFC 7617. */
function passwordOf({ headers }: WebhookDelivery, username: string): string | undefined {
  const [, encoded] = /^basic ([A-Za-z0-9+/=]+)$/iu.exec(headers.authorization ?? '') ?? []
  const shown = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  return shown.startsWith(`${username}:`) ? shown.slice(username.length + 1) : undefined
}

/** Svix uses the same signature scheme, with its own names for the headers. */
const STANDARD_PREFIXES = ['webhook', 'svix']

const checkStandard: CheckSignature = (delivery, secrets, now) => {
  const prefix = STANDARD_PREFIXES.find(each => delivery.headers[`${each}-signature`])
  if (!prefix) throw notSigned('webhook-signature')
  const header = delivery.headers[`${prefix}-signature`] ?? ''
  checkStandardWebhook(delivery, header, secrets.flatMap(standardKey), now, prefix)
}
