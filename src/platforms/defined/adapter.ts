import { AppError, invalidField, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { isDeeperThan, JSON_DEPTH } from '../../model/json-depth.js'
import { isObject, readObject } from '../../model/json-object.js'
import { schemaCheck } from '../../model/schema-check.js'
import {
  RESERVED_SOURCES,
  SOURCE_LIMITS,
  type SourceDefinition,
  SourceDefinitionSchema,
  webhookPathOf,
} from '../../model/sources/source-definition.js'
import type { WebhookAdapter } from '../adapter.js'
import type { PlatformCatalogue } from '../catalogue.js'
import { namedKinds } from '../catalogue.js'
import { compileMapping, type Mapping, UNMAPPED } from './mapping.js'
import { compileProof } from './proof.js'

const check = schemaCheck(SourceDefinitionSchema)

/** The adapter of a source that an operator has defined. */
export interface DefinedAdapter extends WebhookAdapter<string> {
  definition: SourceDefinition
  remap: Mapping['remap']
  placesWithoutResult: Mapping['placesWithoutResult']
}

/**
 * Reads the definition of a source.
 *
 * @param input parsed JSON
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with places in the definition
 */
export function readSourceDefinition(input: unknown): SourceDefinition {
  const sent = readObject(input, 'A source')
  const text = isDeeperThan(sent, JSON_DEPTH) ? undefined : JSON.stringify(sent)
  if (text === undefined || text.length > SOURCE_LIMITS.bytes) {
    const detail = `A source has at most ${SOURCE_LIMITS.bytes / 1024} KiB, and ${JSON_DEPTH} levels.`
    throw invalidField('', detail)
  }
  if (text.split('/[').length > SOURCE_LIMITS.searches + 1) {
    throw invalidField('', `A source has at most ${SOURCE_LIMITS.searches} places with [member=text].`)
  }
  if (!check.Check(sent)) throw refusedInput('The source', problemsIn(sent))
  if (RESERVED_SOURCES.includes(sent.name)) {
    throw invalidField('/name', `/name must not be "${sent.name}", which has a meaning of its own.`)
  }
  compileDefinedAdapter(sent)
  return sent
}

const PROOF_FORMS = '#/properties/proof/anyOf/'

/** A proof has one of several forms. Only the problems of the form that its type names are reported. */
function problemsIn(input: Record<string, unknown>) {
  const { proof } = input
  const types = SourceDefinitionSchema.properties.proof.anyOf.map(({ properties }) => properties.type.const)
  const form = types.findIndex(type => isObject(proof) && type === proof.type)
  const isOfOther = (place: string) =>
    place.startsWith(PROOF_FORMS) && !`${place}/`.startsWith(`${PROOF_FORMS}${form}/`)
  const errors = check.Errors(input)
  const named = isObject(proof) ? errors.filter(({ schemaPath }) => !isOfOther(schemaPath)) : errors
  const problems = toFieldProblems(named, input)
  if (isObject(proof) && form === -1) {
    problems.unshift({ field: '/proof/type', detail: `/proof/type must be one of: ${types.join(', ')}.` })
  }
  return problems.length > 0 ? problems : [{ field: '', detail: 'The source does not fit its schema.' }]
}

/** @throws AppError `invalid/invalid_field` with the place in the definition */
export function compileDefinedAdapter(definition: SourceDefinition): DefinedAdapter {
  const { normalise, remap, placesWithoutResult } = compileMapping(definition)
  const verify = compileProof(definition)
  return {
    definition,
    catalogue: catalogueOf(definition),
    isUnverified: definition.proof.type === 'none',
    ...(definition.proof.type === 'body' ? { provesInBody: true as const } : {}),
    verify: (delivery, secrets) => {
      if (definition.enabled === false) {
        throw new AppError('forbidden', 'source_closed', 'This source is disabled, so it accepts nothing.')
      }
      return verify(delivery, secrets, Date.now())
    },
    normalise,
    remap,
    placesWithoutResult,
  }
}

/** The entry of a source in `GET /api/platforms`. Kinds that are made from the payload are unknown. */
export function catalogueOf({ name, description, proof, rules }: SourceDefinition): PlatformCatalogue<string> {
  const isPlain = (kind: unknown): kind is string => typeof kind === 'string' && !/[{}]/u.test(kind)
  const types = [...new Set(rules.flatMap(({ target = [] }) => target.map(({ type }) => type)))]
  return {
    source: name,
    display_name: description ?? name,
    webhook_path: webhookPathOf(name),
    verification: PROOFS[proof.type],
    ...namedKinds([...rules.map(({ kind }) => kind).filter(isPlain), UNMAPPED]),
    scope_types: types,
    target_grammar: types.map(type => ({ form: `${type}:<id>`, example: `${type}:1` })),
    capture_modes: proof.type === 'feed' ? [] : ['webhook'],
  }
}

const PROOFS: Readonly<Record<SourceDefinition['proof']['type'], string>> = {
  none: 'Deliveries are not verified.',
  feed: 'The server reads the feed: nothing is delivered.',
  token: 'The secret, in a header.',
  query: 'The secret, in the query of the address.',
  body: 'The secret, in the payload.',
  basic: 'The secret, as the password of HTTP Basic.',
  standard: 'An HMAC-SHA256 of Standard Webhooks, in webhook-signature.',
  slack: 'An HMAC-SHA256 of the time and the body, in X-Slack-Signature.',
  hmac: 'An HMAC of the delivery, in a header.',
  ed25519: 'An Ed25519 signature of the delivery, in a header.',
}
