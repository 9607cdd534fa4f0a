import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { AnswerBudget } from '../answer/answer-budget.js'
import { type LogRules, logRequest } from '../logging/request-log.js'
import { tryOrLog } from '../logging/try-or-log.js'
import { connectionLimits } from './connection-limits.js'
import type { ConnectionUse } from './connections.js'
import { HttpListener } from './http-listener.js'
import { createRouter, type HandleRequest, type RequestOutcome, type RouterParts } from './router.js'
import { ShedReport } from './shed-report.js'
import type { Shutdown } from './shutdown.js'

/** One of the two programs, over HTTP. It opens nothing before `listen`. */
export interface HttpApp {
  /**
   * @param port 0 picks a free one
   * @throws AppError `configuration/address_in_use`, `configuration/address_unusable`
   */
  listen(host: string, port: number): Promise<AddressInfo>
  /** Listens for the owner of the program's files, without rules on Host and Origin. @throws as `listen` */
  listenSocket(path: string): Promise<void>
  /** Connections by their use. */
  connectionCounts(): Record<ConnectionUse, number>
  /** Stops accepting, ends streams, exports and long polls, and finishes accepted requests (10 seconds at most). */
  close(): Promise<void>
  /** For another HTTP server. */
  handler(req: IncomingMessage, res: ServerResponse): void
}

interface HttpAppParts<Rule extends string, Who> extends Omit<RouterParts<Rule, Who>, 'observe' | 'budget'> {
  logger: Logger
  logRules: LogRules<Rule, Who>
  /** Maximum number of connections, and the report of those closed for others. Default: as many as possible. */
  room?: { connections: number; shed: ShedReport }
  /** Begun by `close`. */
  shutdown: Shutdown
  /** The memory for large answers; one of the default size when absent. */
  budget?: AnswerBudget
  /** Called for every request, in addition to the log. */
  measure?: (outcome: RequestOutcome<Rule, Who>, seconds: number) => void
}

export function createHttpApp<Rule extends string, Who>(parts: HttpAppParts<Rule, Who>): HttpApp {
  const { logger, logRules, shutdown, measure, requestIds } = parts
  const room = parts.room ?? { connections: connectionLimits().connections, shed: new ShedReport(logger) }
  const budget = parts.budget ?? new AnswerBudget()
  const router: RouterParts<Rule, Who> = {
    ...parts,
    budget,
    observe: outcome => {
      const { req, res } = outcome
      listener.answered(req, res)
      tryOrLog(logger, 'measured', () => measure?.(outcome, (performance.now() - req.receivedAt) / 1000))
      tryOrLog(logger, 'logged', () => logRequest(logger, logRules, outcome))
    },
  }
  const handlePublic = createRouter(router)
  // There is no proxy in front of the socket, and its callers do not know a proxy's root path.
  const handleLocal = createRouter({ ...router, rootPath: '' })
  const handle: HandleRequest = (req, res, local) => (local ? handleLocal : handlePublic)(req, res, local)
  const listener = new HttpListener(handle, requestIds, logger, { ...room, connected: () => budget.connected() })

  return {
    listen: (host, port) => listener.listen(host, port),
    listenSocket: path => listener.listenSocket(path),
    connectionCounts: () => listener.connectionCounts(),
    close: async () => {
      shutdown.begin()
      await listener.close()
    },
    handler: (req, res) => handle(req, res, false),
  }
}
