import { AppError } from '../../model/app-error.js'
import { isObject } from '../../model/json-object.js'
import type { HistoryAccount, HistoryTarget } from '../../model/platforms/history.js'
import type { Place } from '../../model/subscriptions/target-place.js'
import { ChatApiClient } from '../chat/capture/chat-api-client.js'
import { RateLimitedChatApi } from '../chat/capture/rate-limited-chat-api.js'
import { UserDirectory } from '../chat/capture/user-directory.js'
import { openStreamHistory } from '../chat/history/stream-history.js'
import { gitHubApiUrl } from '../code-a/history/github-api-url.js'
import { openRepositoryHistory } from '../code-a/history/repository-history.js'
import { openProjectHistory } from '../code-b/history/project-history.js'
import { openForumHistory } from '../forum/history/forum-history.js'
import { memberOf } from '../mapping/payload.js'
import { COMMAND_WAIT_SECONDS, HistoryApi, type HistoryApiOptions } from './history-api.js'
import type { History } from './history-stream.js'

export type ApiCalls = Pick<HistoryApiOptions, 'sleep' | 'now' | 'onWait' | 'signal'>

interface OpenHistory {
  history: History
  /** How far the platform's clock is ahead of ours, in milliseconds. */
  clockAheadMs(): number
  close(): void
}

interface HistoryReading {
  account: HistoryAccount
  /** RFC 3339 in UTC, six digits. */
  since: string
  /** True for a poll: `since` is not long ago, and the next poll continues if a wait would be long. */
  isPoll: boolean
  calls: ApiCalls
}

/**
 * Opens the history of a place of a platform.
 *
 * @throws AppError as `HistoryApi`
 */
export function openHistory({ place, source }: HistoryTarget, reading: HistoryReading): Promise<OpenHistory> {
  return OPEN[source](place, reading)
}

type Open = (place: Place | undefined, reading: HistoryReading) => Promise<OpenHistory>

const openCodeA: Open = async (place, { account, since, isPoll, calls: given }) => {
  const { token } = account
  const calls = { ...given, isBrief: isPoll }
  const { path, numbered } = repositoryOf(place)
  const { flavour, apiUrl } = await findCodeAApi(account, calls)
  const authorization =
    token === undefined ? {} : { authorization: flavour === 'github' ? `Bearer ${token}` : `token ${token}` }
  const kind =
    flavour === 'github'
      ? { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
      : { accept: 'application/json' }
  return opening({ ...calls, baseUrl: apiUrl, headers: { ...AGENT, ...kind, ...authorization } }, api =>
    openRepositoryHistory({ api, place: { path, numbered, flavour }, since, isRecent: isPoll }),
  )
}

function repositoryOf(place: Place | undefined) {
  if (place?.type !== 'repository' && place?.type !== 'issue' && place?.type !== 'pull_request') throw noSuchPlace()
  const numbered = place.type === 'repository' ? undefined : { type: place.type, number: place.number }
  return { path: place.path, numbered }
}

const AGENT = { 'user-agent': 'Daybook' }

/** GitHub itself, else Gitea or Forgejo if the server answers as one, else GitHub Enterprise Server. */
async function findCodeAApi(
  { baseUrl, token }: Pick<HistoryAccount, 'baseUrl' | 'token'>,
  calls: ApiCallsOfPlace,
): Promise<{ flavour: 'github' | 'gitea'; apiUrl: string }> {
  const ofGitHub = gitHubApiUrl(baseUrl)
  if (ofGitHub !== undefined) return { flavour: 'github', apiUrl: ofGitHub }
  const apiUrl = `${baseUrl}/api/v1`
  const isGitea = (await isVersionOfGitea(apiUrl, {}, calls)) ?? (await isGiteaForUser(apiUrl, token, calls))
  return isGitea ? { flavour: 'gitea', apiUrl } : { flavour: 'github', apiUrl: `${baseUrl}/api/v3` }
}

type ApiCallsOfPlace = Omit<HistoryApiOptions, 'baseUrl' | 'headers'>

/** Asked without the token first: a wrong token would make every server refuse, and look like another one. */
async function isGiteaForUser(apiUrl: string, token: string | undefined, calls: ApiCallsOfPlace): Promise<boolean> {
  if (token === undefined) return false
  return (await isVersionOfGitea(apiUrl, { authorization: `token ${token}` }, calls)) ?? false
}

/** @returns undefined if the server refuses to answer: Gitea may require a login for everything */
async function isVersionOfGitea(
  apiUrl: string,
  login: Readonly<Record<string, string>>,
  calls: ApiCallsOfPlace,
): Promise<boolean | undefined> {
  const api = new HistoryApi({ ...calls, baseUrl: apiUrl, headers: { ...AGENT, accept: 'application/json', ...login } })
  try {
    const version = await api.object('/version')
    return isObject(version) && typeof memberOf(version, 'version') === 'string'
  } catch (error) {
    if (error instanceof AppError && REFUSING.includes(error.code)) return undefined
    if (error instanceof AppError && NOT_GITEA.includes(error.code)) return false
    throw error
  } finally {
    api.close()
  }
}

const REFUSING = ['platform_not_permitted', 'platform_credentials_refused']
const NOT_GITEA = ['platform_place_unknown', 'platform_answer_unreadable', 'platform_request_refused']

/** Closes the connections if opening fails. */
async function opening(options: HistoryApiOptions, open: (api: HistoryApi) => Promise<History>): Promise<OpenHistory> {
  const api = new HistoryApi(options)
  try {
    return { history: await open(api), clockAheadMs: () => api.clockAheadMs(), close: () => api.close() }
  } catch (error) {
    api.close()
    throw error
  }
}

/** The error for a defect: targets are read per platform. */
function noSuchPlace(): Error {
  return new Error('The platform has no places of this form.')
}

const openCodeB: Open = async (place, { account: { baseUrl, token }, since, isPoll, calls }) => {
  const { path, numbered } = repositoryOf(place)
  const headers = { ...AGENT, accept: 'application/json', ...(token === undefined ? {} : { 'private-token': token }) }
  return opening({ ...calls, isBrief: isPoll, baseUrl: `${baseUrl}/api/v4`, headers }, api =>
    openProjectHistory({ api, place: { path, numbered }, since, isRecent: isPoll }),
  )
}

const openForum: Open = async (place, { account, since, isPoll, calls }) => {
  const { baseUrl, token, username = 'system' } = account
  const credential = token === undefined ? {} : { 'api-key': token, 'api-username': username }
  const headers = { ...AGENT, accept: 'application/json', ...credential }
  return opening({ ...calls, isBrief: isPoll, baseUrl, headers }, api =>
    openForumHistory({ api, place: { place, baseUrl }, since, isRecent: isPoll }),
  )
}

const openChat: Open = async (place, { account, since, calls }) => {
  const { baseUrl: site, token = '', username = '', tls } = account
  if (place?.type !== 'stream' && place?.type !== 'stream_topic') throw noSuchPlace()
  const watched = place.type === 'stream' ? { stream: place.name } : { stream: place.stream, topic: place.name }
  const client = new ChatApiClient({ site, email: username, api_key: token, ...(tls === undefined ? {} : { tls }) })
  const { sleep, onWait = () => {}, signal } = calls
  const api = new RateLimitedChatApi(client, { sleep, onWait, longestSeconds: COMMAND_WAIT_SECONDS })
  const users = new UserDirectory(() => performance.now())
  return {
    history: openStreamHistory({ api, users, site, place: watched, since, signal }),
    clockAheadMs: () => 0,
    close: () => client.close(),
  }
}

const OPEN: Record<HistoryAccount['source'], Open> = {
  chat: openChat,
  code_a: openCodeA,
  code_b: openCodeB,
  forum: openForum,
}
