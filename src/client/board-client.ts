import type { Answer } from './answer.js'
import { notOne } from './problem.js'
import { toQueryString } from './query-string.js'
import { type CallOptions, callWithBody, JSON_TYPE, ServerClient, segment } from './server-client.js'
import { BOARD } from './server-names.js'
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.js'
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

/** The query of `GET /api/runs`, likewise. */
export interface RunParameters {
  card_id?: string | undefined
  state?: string | undefined
  limit?: string | undefined
  after?: string | undefined
}

/** What a call shows besides the key. */
export interface ExecutionOptions extends CallOptions {
  /** Sent as `X-Board-Executor-Token`. */
  executorToken?: string | undefined
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

  runs(parameters: RunParameters, options?: CallOptions): Promise<Answer> {
    return this.get(`/api/runs${toQueryString(parameters)}`, options)
  }

  run(id: string, options?: CallOptions): Promise<Answer> {
    return this.get(runPath(id), options)
  }

  /** @param json `mode`, as JSON; a real one needs the executor's token */
  startRun(cardId: string, json: string, { executorToken, ...options }: ExecutionOptions = {}): Promise<Answer> {
    const call = callWithBody('POST', `${cardPath(cardId)}/runs`, JSON_TYPE, json)
    return this.call({ ...call, headers: { ...call.headers, ...toExecutorHeader(executorToken) } }, options)
  }

  /** Answers when the run is over. */
  cancelRun(id: string, { executorToken, ...options }: ExecutionOptions = {}): Promise<Answer> {
    const headers = toExecutorHeader(executorToken)
    return this.call({ method: 'POST', path: `${runPath(id)}/cancel`, headers }, options)
  }

  /** What the log of a run holds now, as text. */
  async runLog(id: string, options?: CallOptions): Promise<string> {
    const path = `${runPath(id)}/log?format=text`
    const answer = await this.exchange({ method: 'GET', path, headers: { accept: 'text/plain' } }, options)
    if (answer.status === 200 && isOfType(answer, 'text/plain')) return answer.body.toString()
    this.toAnswer(answer)
    throw notOne(answer.status, BOARD)
  }

  /** The log of a run as it is written. @param after `seq` of the last piece that is known */
  async *runEvents(id: string, after: string, options?: CallOptions): AsyncGenerator<ServerSentEvent> {
    const path = `${runPath(id)}/log?after=${encodeURIComponent(after)}`
    const answer = await this.open({ method: 'GET', path, headers: { accept: 'text/event-stream' } }, options)
    try {
      if (!isOfType(answer, 'text/event-stream')) throw notOne(answer.status, BOARD)
      yield* readServerSentEvents(answer.chunks())
    } finally {
      answer.end()
    }
  }

  /** Copies a database of the board; it answers that through its socket alone. @param json `path` and `of`, as JSON */
  backup(json: string, options?: CallOptions): Promise<Answer> {
    return this.post('/api/backups', JSON_TYPE, json, options)
  }
}

function runPath(id: string): string {
  return `/api/runs/${segment('id', id)}`
}

function toExecutorHeader(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { 'x-board-executor-token': token }
}

function isOfType({ headers }: { headers: NodeJS.Dict<string | string[]> }, type: string): boolean {
  return headers['content-type']?.toString().split(';')[0] === type
}

function cardPath(id: string): string {
  return `/api/cards/${segment('id', id)}`
}

function hintOf(code: string, keyWasShown: boolean): string | undefined {
  if (code === 'executor_denied') {
    return "Give the executor's token with BOARD_EXECUTOR_TOKEN or --executor-token-file."
  }
  if (code !== 'unauthenticated') return undefined
  return keyWasShown
    ? "The key that was sent is not this board's."
    : 'Give the key of the board with --key or BOARD_API_KEY.'
}
