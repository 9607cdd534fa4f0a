import { AppError } from '../model/app-error.js'
import { isObject } from '../model/json-object.js'
import { type LedgerClient, OWN } from './ledger-client.js'

/**
 * The id of a user in paths of the API.
 *
 * @param named name or id; absent: the user that the credential belongs to
 * @throws AppError `not_found/not_found`; as `LedgerClient`
 */
export async function getUserId(client: Pick<LedgerClient, 'users'>, named: string | undefined): Promise<string> {
  if (named === undefined) return OWN
  const answer = (await client.users()).json()
  const items = isObject(answer) ? answer.items : undefined
  const user = Array.isArray(items) ? items.find(each => each?.username === named || each?.id === named) : undefined
  if (typeof user?.id === 'string') return user.id
  throw new AppError('not_found', 'not_found', `There is no user ${JSON.stringify(named)}.`)
}
