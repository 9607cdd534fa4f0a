import type { Answer } from './answer.js'
import { toQueryString } from './query-string.js'
import { type CallOptions, callWithBody, JSON_TYPE, ServerClient, segment } from './server-client.js'
import { BOARD } from './server-names.js'
import type { ServerAddress } from './transport.js'

export interface BoardClientOptions {
  /** Sent as `Authorization: Bearer`. */
  key?: string
  /** How long a connection may be silent. */
  idleSeconds?: number
}

/** The query of `GET /api/cards`, spelled as on the wire. Nothing is checked here: the board does it. */
export interface CardParameters {
  column?: string | undefined
  label?: string | undefined
  assignee?: string | undefined
  link?: string | undefined
  limit?: string | undefined
  after?: string | undefined
}

/**
 * The board's REST API as methods. Answers are handed on as they were sent.
 *
 * Source: decisions on the board, sections 7 and 8.
 */
export class BoardClient extends ServerClient {
  constructor(address: ServerAddress, { key, idleSeconds }: BoardClientOptions = {}) {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    super(address, { names: BOARD, headers, hintOf: code => hintOf(code, key !== undefined), idleSeconds })
  }

  cards(parameters: CardParameters, options?: CallOptions): Promise<Answer> {
    return this.get(`/api/cards${toQueryString(parameters)}`, options)
  }

  card(id: string, options?: CallOptions): Promise<Answer> {
    return this.get(cardPath(id), options)
  }

  /** @param json a card, as JSON */
  createCard(json: string, options?: CallOptions): Promise<Answer> {
    return this.post('/api/cards', JSON_TYPE, json, options)
  }

  /**
   * @param json what is to change, as JSON
   * @param version the one that it was made for; whichever it is when absent
   * @throws AppError `outdated/version_conflict`
   */
  updateCard(id: string, json: string, { version, ...options }: CallOptions & { version?: number } = {}) {
    const call = callWithBody('PATCH', cardPath(id), JSON_TYPE, json)
    const headers = { ...call.headers, ...(version === undefined ? {} : { 'if-match': `"${version}"` }) }
    return this.call({ ...call, headers }, options)
  }

  /** Copies a database of the board; it answers that through its socket alone. @param json `path` and `of`, as JSON */
  backup(json: string, options?: CallOptions): Promise<Answer> {
    return this.post('/api/backups', JSON_TYPE, json, options)
  }
}

function cardPath(id: string): string {
  return `/api/cards/${segment('id', id)}`
}

function hintOf(code: string, keyWasShown: boolean): string | undefined {
  if (code !== 'unauthenticated') return undefined
  return keyWasShown
    ? "The key that was sent is not this board's."
    : 'Give the key of the board with --key or BOARD_API_KEY.'
}
