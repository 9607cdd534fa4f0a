import pino from 'pino'
import type { Test } from 'tap'
import { ANONYMOUS } from '../../../src/gate/identity.js'
import { type CopyBoardDatabase, makeBackup } from '../../../src/server/board/backup-route.js'
import type { BoardEndpoint, BoardRoute } from '../../../src/server/board/board-route.js'
import {
  createCard,
  deleteCard,
  getCard,
  listCardHistory,
  listCards,
  updateCard,
} from '../../../src/server/board/card-routes.js'
import { createHttpApp } from '../../../src/server/http/http-app.js'
import { type Method, route } from '../../../src/server/http/route.js'
import { Shutdown } from '../../../src/server/http/shutdown.js'
import { createBodyReader, createJsonReader } from '../../../src/server/request/body.js'
import { cardsRig } from '../../board/cards-rig.js'

export interface Answer {
  status: number
  headers: Headers
  text: string
  body: Record<string, unknown>
}

interface ServeCardsOptions {
  /** The folder of the board's files; default: a folder of the test. */
  home?: string
  /** Where it listens for its owner, in addition to the port. */
  socketPath?: string
  /** Copies the cards; absent: the real copy. */
  copyCards?: CopyBoardDatabase['cards']
}

/** The routes of cards and of copies, below a root path. Every caller may do everything. Sessions are not copied. */
export async function serveCards(t: Test, { home, socketPath, copyCards }: ServeCardsOptions = {}) {
  const { cards, database } = cardsRig(t, home === undefined ? {} : { home })
  const copied: string[] = []
  const readJsonBody = createJsonReader(createBodyReader(1024 * 1024))
  const row = (method: Method, pattern: string, endpoint: BoardEndpoint): BoardRoute => {
    return route(method, pattern, 'api', endpoint)
  }
  const copy = {
    cards: copyCards ?? ((path: string, signal: AbortSignal) => database.copyTo(path, signal)),
    sessions: async (path: string) => {
      copied.push(path)
    },
  }
  const app = createHttpApp({
    routes: [
      row('GET', '/api/cards', listCards({ cards })),
      row('POST', '/api/cards', createCard({ cards, readJsonBody })),
      row('GET', '/api/cards/:id', getCard({ cards })),
      row('GET', '/api/cards/:id/history', listCardHistory({ cards })),
      row('PATCH', '/api/cards/:id', updateCard({ cards, readJsonBody })),
      row('DELETE', '/api/cards/:id', deleteCard({ cards })),
      row('POST', '/api/backups', makeBackup({ copy, readJsonBody })),
    ],
    rootPath: '/team',
    authorise: async () => {},
    anonymous: ANONYMOUS,
    tlsOnly: false,
    requestIds: () => 'request-1',
    logger: pino({ level: 'silent' }),
    logRules: { notable: new Set<string>(), who: () => ({}), address: () => '192.0.2.1', logsAll: false },
    shutdown: new Shutdown(),
  })
  const { port } = await app.listen('127.0.0.1', 0)
  t.teardown(() => app.close())
  if (socketPath !== undefined) await app.listenSocket(socketPath)
  const url = `http://127.0.0.1:${port}/team`
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : {},
    }
    return answer
  }
  return { ask, cards, copied, url }
}
