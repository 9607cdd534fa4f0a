import { type Answer, BOARD } from './answer.js'
import { notADaybookServer } from './problem.js'
import { type CallOptions, callWithBody, JSON_TYPE, ServerClient, segment, toQueryString } from './server-client.js'
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.js'
import type { ServerAddress } from './transport.js'

interface BoardClientOptions {
  /** Sent as `Authorization: Bearer`. */
  key?: string
  /** Maximum idle time of a connection. */
  idleSeconds?: number
}

/** The query of `GET /api/cards`, spelled as on the wire. Not validated here; the board does it. */
export interface CardParameters {
  column?: string | undefined
  label?: string | undefined
  assignee?: string | undefined
  link?: string | undefined
  limit?: string | undefined
  after?: string | undefined
}

/** The query of `GET /api/runs`, also not validated here. */
interface RunParameters {
  card_id?: string | undefined
  state?: string | undefined
  limit?: string | undefined
  after?: string | undefined
}

/** Credentials in addition to the key. */
interface ExecutionOptions {
  /** Sent as `X-Board-Executor-Token`. */
  executorToken?: string | undefined
}

/**
 * The board's REST API as methods. Responses are returned as sent.
 *
 * Source: decisions on the board, sections 7 and 8.
 */
export class BoardClient extends ServerClient {
  constructor(address: ServerAddress, { key, idleSeconds }: BoardClientOptions = {}) {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    super(address, { names: BOARD, headers, hintOf: code => hintOf(code, key !== undefined), idleSeconds })
  }

  async cards(parameters: CardParameters, options?: CallOptions): Promise<Answer> {
    const answer = await this.exchange({ method: 'GET', path: `/api/cards${toQueryString(parameters)}` }, options)
    // A ledger has this path too, with other parameters and for the cards of one event.
    if (answer.status >= 400) await this.refuseOtherProgram(options)
    const page = this.toAnswer(answer)
    if (!('columns' in Object(page.json()))) await this.refuseOtherProgram(options)
    return page
  }

  /** Newest first. */
  cardHistory(id: string, limit: number): Promise<Answer> {
    return this.get(`/api/cards/${segment('id', id)}/history${toQueryString({ limit: String(limit) })}`)
  }

  card(id: string): Promise<Answer> {
    return this.get(cardPath(id))
  }

  /** @param json a card, as JSON */
  createCard(json: string): Promise<Answer> {
    return this.post('/api/cards', JSON_TYPE, json)
  }

  /**
   * @param json the changes, as JSON
   * @param version the version that they apply to; the current one when absent
   * @throws AppError `outdated/version_conflict`
   */
  updateCard(id: string, json: string, { version }: { version?: number } = {}) {
    const call = callWithBody('PATCH', cardPath(id), JSON_TYPE, json)
    const headers = { ...call.headers, ...(version === undefined ? {} : { 'if-match': `"${version}"` }) }
    return this.call({ ...call, headers })
  }

  /** @param version delete only this version; any when absent. @throws AppError `outdated/version_conflict` */
  deleteCard(id: string, { version }: { version?: number } = {}): Promise<Answer> {
    const headers = version === undefined ? {} : { 'if-match': `"${version}"` }
    return this.call({ method: 'DELETE', path: cardPath(id), headers })
  }

  executor({ executorToken }: ExecutionOptions = {}): Promise<Answer> {
    return this.call({ method: 'GET', path: '/api/executor', headers: toExecutorHeader(executorToken) })
  }

  /** The current run continues. */
  switchExecutor(to: 'pause' | 'resume', { executorToken }: ExecutionOptions = {}): Promise<Answer> {
    const headers = toExecutorHeader(executorToken)
    return this.call({ method: 'POST', path: `/api/executor/${to}`, headers })
  }

  runs(parameters: RunParameters, options?: CallOptions): Promise<Answer> {
    return this.get(`/api/runs${toQueryString(parameters)}`, options)
  }

  run(id: string): Promise<Answer> {
    return this.get(runPath(id))
  }

  /** @param json `mode`, as JSON; a real run needs the executor's token */
  startRun(cardId: string, json: string, { executorToken }: ExecutionOptions = {}): Promise<Answer> {
    const call = callWithBody('POST', `${cardPath(cardId)}/runs`, JSON_TYPE, json)
    return this.call({ ...call, headers: { ...call.headers, ...toExecutorHeader(executorToken) } })
  }

  /** Returns when the run has ended. */
  cancelRun(id: string, { executorToken }: ExecutionOptions = {}): Promise<Answer> {
    const headers = toExecutorHeader(executorToken)
    return this.call({ method: 'POST', path: `${runPath(id)}/cancel`, headers })
  }

  /** The current text of a run's log. */
  async runLog(id: string): Promise<string> {
    const path = `${runPath(id)}/log?format=text`
    const answer = await this.exchange({ method: 'GET', path, headers: { accept: 'text/plain' } })
    if (answer.status === 200 && isOfType(answer, 'text/plain')) return answer.body.toString()
    this.toAnswer(answer)
    throw notADaybookServer(answer.status, BOARD)
  }

  /** Streams a run's log. @param after `seq` of the last known piece */
  async *runEvents(id: string, after: string, options?: CallOptions): AsyncGenerator<ServerSentEvent> {
    const path = `${runPath(id)}/log?after=${encodeURIComponent(after)}`
    const answer = await this.open({ method: 'GET', path, headers: { accept: 'text/event-stream' } }, options)
    try {
      if (!isOfType(answer, 'text/event-stream')) throw notADaybookServer(answer.status, BOARD)
      yield* readServerSentEvents(answer.chunks())
    } finally {
      answer.end()
    }
  }

  /** Copies a database of the board; available only over its socket. @param json `path` and `of`, as JSON */
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
