import type { Test } from 'tap'
import type { NewEvent } from '../../../../src/model/events/event.js'
import {
  type CaptureOptions,
  captureWatch,
  type ReadProgress,
} from '../../../../src/platforms/chat/capture/capture-watch.js'
import { ChatApiClient } from '../../../../src/platforms/chat/capture/chat-api-client.js'
import { UserDirectory } from '../../../../src/platforms/chat/capture/user-directory.js'
import type { WatchedPlace } from '../../../../src/platforms/chat/watched-place.js'
import type { ChatServer } from '../../../support/chat-server/chat-server.js'

export const DEPLOYS = { stream: 'eng', topic: 'deploys' }

/** A watch in memory that is captured from a stand-in. */
export class Captured {
  progress: ReadProgress = { readTo: undefined, followed: undefined, reread: undefined }
  readonly events: NewEvent[] = []
  /** How many messages each page contained. */
  readonly pages: number[] = []
  readonly #users = new UserDirectory(() => 0)

  constructor(
    private readonly t: Test,
    private readonly server: ChatServer,
    readonly place: WatchedPlace = DEPLOYS,
  ) {}

  async run(options: Partial<CaptureOptions> = {}): Promise<void> {
    const { url, email, apiKey } = this.server
    const api = new ChatApiClient({ site: url, email, api_key: apiKey })
    this.t.teardown(() => api.close())
    const record: CaptureOptions['record'] = async ({ events, ...progress }) => {
      this.events.push(...events)
      this.pages.push(events.length)
      this.progress = progress
    }
    const listKnown = async () => this.events.map(event => event.dedupe_key)
    const given = { api, site: url, users: this.#users, backfill: 100, now: 0, listKnown, record }
    await captureWatch(this.place, this.progress, { ...given, ...options })
  }

  /** Ids of the messages that were captured, in that order. */
  get ids(): number[] {
    return this.events.map(event => Number(event.subject_id))
  }
}

/** The queries to the messages API since the last call. */
export function messageQueries({ asked }: ChatServer): Record<string, string>[] {
  const queries = asked.splice(0).filter(({ path }) => path === '/api/v1/messages')
  return queries.map(({ query }) => Object.fromEntries(query))
}

export function narrowsAsked(server: ChatServer): unknown[] {
  return messageQueries(server).map(({ narrow = '' }) => JSON.parse(narrow))
}
