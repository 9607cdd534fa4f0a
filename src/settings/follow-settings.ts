import { readAdminToken } from './admin-token.js'
import { API_URL_ALLOWED, acceptApiUrl } from './api-address.js'
import type { Credential } from './client-settings.js'
import { isLoopback } from './listen-settings.js'
import { headerWord, readSecret } from './reading/secret-setting.js'
import type { GivenFlag, SettingReader } from './reading/setting-reader.js'

/** The ledger that this one follows. */
export interface FollowSettings {
  /** Base address, without trailing slash. May have a path. */
  leader: string
  credential: Credential
}

const URL_NAME = 'EVENT_FOLLOW'
const TOKEN_NAME = 'EVENT_FOLLOW_TOKEN'
const API_TOKEN = /^tok_/u

/**
 * The ledger to follow, and the credential for it: `EVENT_FOLLOW_TOKEN`, which is an admin's API token or the admin
 * token of that ledger, else the admin token of this one.
 *
 * @param home of the ledger @param given address on the command line
 */
export function readFollow(reader: SettingReader, home: string, given: GivenFlag): FollowSettings | undefined {
  const leader = reader.text(URL_NAME, acceptApiUrl, API_URL_ALLOWED, given)
  const token = readSecret(reader, TOKEN_NAME, { both: 'refused' })
  if (leader === undefined) return undefined
  const secret = token === undefined ? readAdminToken(reader, () => home) : headerWord(reader, TOKEN_NAME, token)
  if (secret === undefined) {
    const isRefused = reader.hasRefused([TOKEN_NAME, `${TOKEN_NAME}_FILE`])
    const detail = `${TOKEN_NAME} is missing: following ${leader} needs its admin token, or an API token of an admin.`
    if (!isRefused) reader.refuse(TOKEN_NAME, detail)
    return undefined
  }
  const { protocol, hostname } = new URL(leader)
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/gu, ''))) {
    reader.warn(`${leader} is not https: tokens and digests of passwords cross the network without encryption.`)
  }
  return { leader, credential: { kind: API_TOKEN.test(secret) ? 'token' : 'admin', secret } }
}
