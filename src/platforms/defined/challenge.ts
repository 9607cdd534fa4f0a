import { invalidField } from '../../model/app-error.js'
import type { SourceDefinition } from '../../model/sources/source-definition.js'
import type { DeliveryAnswer } from '../adapter.js'
import { usableSecrets } from '../signatures/match-secrets.js'
import { compileConditions } from './condition.js'
import type { Scope } from './place.js'
import { hmacOf } from './signature.js'
import { compileValue } from './template.js'

type AnswerMembers = Exclude<DeliveryAnswer, string>

/** @param secrets for signing a text; without secrets, the text is omitted */
type AnswerChallenge = (scope: Scope, secrets: readonly string[]) => AnswerMembers | undefined

type ReadMember = (scope: Scope, secrets: readonly string[]) => AnswerMembers[string] | undefined

/**
 * Answers a delivery that asks for it. Signs a text only for a delivery with a verified signature: otherwise anyone
 * could have any text signed.
 *
 * @throws AppError `invalid/invalid_field` with the place in the definition
 */
export function compileChallenge({ challenge, proof }: SourceDefinition): AnswerChallenge {
  if (challenge === undefined) return () => undefined
  const asks = compileConditions(challenge.when, '/challenge/when')
  const members = Object.entries(challenge.answer).map(
    ([member, value]) => [member, compileMember(value, `/challenge/answer/${member}`, proof)] as const,
  )
  return (scope, secrets) => {
    if (!asks(scope)) return undefined
    const answers = members.map(([member, read]) => [member, read(scope, secrets)] as const)
    return Object.fromEntries(answers.flatMap(([member, value]) => (value === undefined ? [] : [[member, value]])))
  }
}

type MemberValue = NonNullable<SourceDefinition['challenge']>['answer'][string]

function compileMember(value: MemberValue, field: string, proof: SourceDefinition['proof']): ReadMember {
  if (typeof value === 'number' || typeof value === 'boolean') return () => value
  if (typeof value === 'string' || Array.isArray(value) || !('hmac' in value)) return compileValue(value, field)
  if (proof.type !== 'hmac') throw invalidField(field, `${field} has an HMAC, which needs a proof of the type hmac.`)
  const read = compileValue(value.hmac, `${field}/hmac`)
  return (scope, secrets) => {
    const [secret] = usableSecrets(secrets)
    const text = read(scope)
    return secret === undefined || text === undefined ? undefined : hmacOf(proof, secret, [text])
  }
}
