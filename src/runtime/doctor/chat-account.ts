import { type Finding, failing, ok } from '../../model/diagnosis.js'
import type { ChatAccount } from '../../model/platforms/chat-account.js'
import { ChatApiClient } from '../../platforms/chat/capture/chat-api-client.js'

const LONGEST_MS = 15_000
/** Any request that the server answers only to an account. */
const NEWEST = { narrow: [], anchor: 'newest', before: 1, after: 0, withAnchor: false } as const

/** Whether the chat server accepts the account of captures. @throws AppError as `ChatApiClient` */
export async function checkChatAccount(account: ChatAccount | undefined): Promise<Finding[]> {
  if (!account) return [ok('No account for captures from a chat server is configured.')]
  const { site, email } = account
  const client = new ChatApiClient(account)
  const signal = AbortSignal.timeout(LONGEST_MS)
  try {
    await client.messages(NEWEST, signal)
    return [ok(`The chat server ${site} accepts the account ${email}.`)]
  } catch (error) {
    if (!signal.aborted) throw error
    return [failing('unreachable', `The chat server ${site} did not answer in ${LONGEST_MS / 1000} seconds.`)]
  } finally {
    client.close()
  }
}
