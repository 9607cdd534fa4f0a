import { BoardClient } from '../../client/board-client.js'
import { LedgerClient } from '../../client/ledger-client.js'
import { REFUSED } from '../../client/ledger-credential.js'
import { AppError } from '../../model/app-error.js'
import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'
import type { Session } from '../../model/ledger-answers.js'
import type { BoardClientSettings, ClientSettings } from '../../settings/client-settings.js'
import type { FoundOwner } from './file-owner.js'

const ANSWER_SECONDS = 10

/** The facts about the server that should answer. */
interface Expected {
  /** Who has the files of this machine open. */
  owner: FoundOwner | undefined
  /** Whether a setting gives the address. */
  isConfigured: boolean
}

/** Whether the configured ledger answers, and accepts the credential. @throws AppError as `LedgerClient` */
export async function checkServer(
  { apiUrl, credential }: ClientSettings,
  version: string,
  expected: Expected,
): Promise<Finding[]> {
  const client = new LedgerClient({ apiUrl }, { idleSeconds: ANSWER_SECONDS, ...(credential ? { credential } : {}) })
  return orAbsent({ url: apiUrl, setting: 'EVENT_API_URL', expected }, async () => {
    const answer = await client.health()
    const health = answer.json() as { version?: string; detail?: string }
    if (answer.status === 503) {
      return [
        failing('temporary', `The ledger at ${apiUrl} cannot record events: ${health.detail ?? 'no reason given'}`),
      ]
    }
    let detail = `The ledger at ${apiUrl} answers.`
    if (credential) {
      // Every caller may ask for its session, also with a wrong credential.
      const { authenticated, admin_required } = (await client.session()).json() as Partial<Session>
      if (!authenticated && admin_required !== false) {
        return [failing('refused', `The ledger at ${apiUrl} refuses the credential.`, REFUSED[credential.kind])]
      }
      detail = `The ledger at ${apiUrl} answers and ${authenticated ? 'accepts the' : 'needs no'} credential.`
    }
    if (health.version === version) return [ok(detail)]
    const versions = `It runs release ${health.version ?? 'unknown'}, and this command is of ${version}.`
    return [warning(`${detail} ${versions}`, 'Use one release for both: restart the server after an upgrade.')]
  })
}

/** Whether the configured board answers, and accepts the key. @throws AppError as `BoardClient` */
export function checkBoard({ boardUrl, key }: BoardClientSettings, expected: Expected): Promise<Finding[]> {
  const client = new BoardClient({ apiUrl: boardUrl }, { idleSeconds: ANSWER_SECONDS, ...(key ? { key } : {}) })
  return orAbsent({ url: boardUrl, setting: 'BOARD_API_URL', expected }, async () => {
    try {
      await client.cards({ limit: '1' })
      return [ok(`The board at ${boardUrl} answers${key === undefined ? '' : ' and accepts the key'}.`)]
    } catch (error) {
      const needsKey = error instanceof AppError && error.category === 'unauthenticated' && key === undefined
      if (needsKey) return [ok(`The board at ${boardUrl} answers, and needs a login. BOARD_API_KEY is not set here.`)]
      throw error
    }
  })
}

/** If no server runs on this machine and no setting names one, no server has to answer. */
async function orAbsent(
  { url, setting, expected }: { url: string; setting: string; expected: Expected },
  ask: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'server_unreachable') throw error
    const { owner, isConfigured } = expected
    const address = owner?.state === 'server' ? owner.record?.address : undefined
    if (address !== undefined && address !== url) {
      const detail = `No server answers at ${url}, but the one on this machine is at ${address}.`
      return [failing('unreachable', detail, `Set ${setting}=${address}.`)]
    }
    if (isConfigured || address !== undefined) throw error
    return [warning(`No server answers at ${url}.`, 'Start it: `daybook serve`.')]
  }
}
