import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { AnswerBudget } from '../answer/answer-budget.js'
import { type LogRules, logRequest } from '../logging/request-log.js'
import { beside } from '../logging/try-or-log.js'
import { connectionLimits } from './connection-limits.js'
import type { ConnectionUse } from './connections.js'
import { HttpListener } from './http-listener.js'
import { createRouter, type HandleRequest, type RequestOutcome, type RouterParts } from './router.js'
import { ShedReport } from './shed-report.js'
import type { Shutdown } from './shutdown.js'

/** One of the two programs, over HTTP. It opens nothing until it is told to listen. */
export interface HttpApp {
  /**
   * @param port 0 picks a free one
   * @throws AppError `configuration/address_in_use`, `configuration/address_unusable`
   */
  listen(host: string, port: number): Promise<AddressInfo>
  /** Listens for the owner of the program's files, without rules on Host and Origin. @throws as `listen` */
  listenSocket(path: string): Promise<void>
  /** How many connections are used for what. */
  connectionCounts(): Record<ConnectionUse, number>
  /** Stops accepting, ends streams and long polls, finishes what was accepted (10 seconds at most). */
  close(): Promise<void>
  /** For a server of somebody else's. */
  handler(req: IncomingMessage, res: ServerResponse): void
}

export interface HttpAppParts<Rule extends string, Who> extends Omit<RouterParts<Rule, Who>, 'observe' | 'budget'> {
  logger: Logger
  logRules: LogRules<Rule, Who>
  /** How many connections there may be, and what counts those that are closed for others; what fits the process when absent. */
  room?: { connections: number; shed: ShedReport }
  /** Begun when the app is to be closed. */
  shutdown: Shutdown
  /** The memory for large answers; one of the usual size when absent. */
  budget?: AnswerBudget
  /** Told of every request besides the log. */
  measure?: (outcome: RequestOutcome<Rule, Who>, seconds: number) => void
}

export function createHttpApp<Rule extends string, Who>(parts: HttpAppParts<Rule, Who>): HttpApp {
  const { logger, logRules, shutdown, measure, requestIds } = parts
  const room = parts.room ?? { connections: connectionLimits().connections, shed: new ShedReport(logger) }
  const router: RouterParts<Rule, Who> = {
    ...parts,
    budget: parts.budget ?? new AnswerBudget(),
    observe: outcome => {
      const { req, res } = outcome
      listener.answered(req, res)
      beside(logger, 'measured', () => measure?.(outcome, (performance.now() - req.receivedAt) / 1000))
      beside(logger, 'logged', () => logRequest(logger, logRules, outcome))
    },
  }
  const handlePublic = createRouter(router)
  // No proxy stands in front of the socket, and who asks there does not know what path it would put in front.
  const handleLocal = createRouter({ ...router, rootPath: '' })
  const handle: HandleRequest = (req, res, local) => (local ? handleLocal : handlePublic)(req, res, local)
  const listener = new HttpListener(handle, requestIds, logger, room)

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
