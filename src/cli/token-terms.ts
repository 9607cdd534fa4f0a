import { integer, option, string } from '@oclif/core/flags'
import { type NewToken, TOKEN_MAY } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import { toTimestamp } from '../model/timestamp.js'

/** The flags that describe a new API token. @param others flags that exclude these, because they issue no token */
export function tokenTermFlags(others: string[] = []) {
  const exclusive = others.length > 0 ? { exclusive: others } : {}
  return {
    may: option({
      options: TOKEN_MAY,
      description: 'Rights of the token. all: those of its user; read: only read; write: only record events.',
      ...exclusive,
    })(),
    source: string({
      description: 'A source that a --may write token may record. May be given several times.',
      helpValue: '<source>',
      multiple: true,
      dependsOn: ['may'],
    }),
    name: string({ description: 'What the token is for; lists show it.', helpValue: '<name>', ...exclusive }),
    days: integer({
      description: 'Days until the token expires; by default, it does not expire.',
      helpValue: '<n>',
      min: 1,
      max: 3650,
      ...exclusive,
    }),
  }
}

export interface TermsFlags {
  may?: NewToken['may'] | undefined
  source?: string[] | undefined
  name?: string | undefined
  days?: number | undefined
}

const DAY_MICROS = 86_400_000_000

/** Without flags, the token has all rights of its user and does not expire. @throws AppError `invalid/invalid_field` */
export function termsOf({ may, source, name, days }: TermsFlags): NewToken {
  if (may === 'write' && source === undefined) {
    const detail = '--may write needs a source. Name each source that the token may record with --source.'
    throw new AppError('invalid', 'invalid_field', detail)
  }
  return {
    ...(may === undefined ? {} : { may }),
    ...(source ? { sources: source } : {}),
    ...(name === undefined ? {} : { name }),
    ...(days === undefined ? {} : { expires_at: toTimestamp(Date.now() * 1000 + days * DAY_MICROS) }),
  }
}
