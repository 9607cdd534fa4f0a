import type { IncomingMessage, ServerResponse } from 'node:http'
import polka from 'polka'
import type { AnswerBudget } from '../answer/answer-budget.js'
import { problemReply, toProblemReply } from '../answer/problem.js'
import { send as sendReply } from '../answer/reply.js'
import { hasLeft } from '../answer/slow-reader.js'
import { checkRequestForm } from '../request/request-form.js'
import { type HttpRequest, METHODS, type Method, type Reply, type Route } from './route.js'

/** Told of every request once it has been answered. */
export type Observe<Rule extends string, Who> = (outcome: RequestOutcome<Rule, Who>) => void

export interface RequestOutcome<Rule extends string = string, Who = unknown> {
  req: HttpRequest<Who>
  res: ServerResponse
  /** The route's pattern, or undefined where none matched. */
  pattern: string | undefined
  /** The route's access, where one matched. */
  access?: Rule
  /** What it failed with. */
  error?: unknown
}

export interface RouterParts<Rule extends string, Who> {
  routes: readonly Route<Rule, Who>[]
  /** In front of every pattern: empty, or `/x`. */
  rootPath: string
  /** Notes in the request who sent it. @throws AppError where that one may not use the route */
  authorise: (route: Pick<Route<Rule, Who>, 'access' | 'method'>, req: HttpRequest<Who>) => Promise<void>
  /** How a caller without a login is told to come back; `Bearer` when absent. */
  challenge?: string
  /** The identity of a request that is not known yet. */
  nobody: Who
  observe: Observe<Rule, Who>
  /** The memory for large answers. */
  budget: AnswerBudget
  /** Browsers reach this server over TLS only. */
  tlsOnly: boolean
  requestIds: () => string
}

/** Answers a request; `local` when it came over the owner's socket. */
export type HandleRequest = (req: IncomingMessage, res: ServerResponse, local: boolean) => void

/** What logs and metrics call a request whose sender left before the answer; it is never sent. */
const CLIENT_GONE = 499

/**
 * Turns a route table into a request handler. Every request goes through here, and every failure leaves by one door.
 *
 * polka matches paths whatever their case and forgives one trailing slash, so access cannot be decided by comparing
 * paths: each route carries its rule, and the rule is applied by the row that matched. polka's own handlers for errors
 * and for unknown paths would send `error.message` to the caller; both are replaced.
 *
 * Order of checks: form and Host, route, method, access; the rest is the handler's.
 */
export function createRouter<Rule extends string, Who>({
  routes,
  rootPath,
  authorise,
  nobody,
  challenge,
  observe,
  tlsOnly,
  requestIds,
  budget,
}: RouterParts<Rule, Who>): HandleRequest {
  const send = (req: HttpRequest<Who>, res: ServerResponse, reply: Reply) => sendReply(req, res, { reply, budget })

  const fail = (req: HttpRequest<Who>, res: ServerResponse, error: unknown) => {
    if (!res.closed) send(req, res, toProblemReply(error, req.requestId, challenge))
    // Nobody is there any more, so whatever was thrown for that reason is no failure of ours.
    else if (!res.headersSent) res.statusCode = CLIENT_GONE
  }

  const answer = async (route: Route<Rule, Who>, req: HttpRequest<Who>, res: ServerResponse) => {
    const outcome: RequestOutcome<Rule, Who> = { req, res, pattern: route.pattern, access: route.access }
    try {
      await authorise(route, req)
      // Handlers learn of a sender that leaves by an event, which one that left meanwhile does not cause again.
      if (hasLeft(res)) throw new Error('The sender left before it was known who it is')
      const reply = await route.handle(req, res)
      const untaken = reply && send(req, res, reply)
      if (untaken) await untaken
    } catch (error) {
      outcome.error = error
      fail(req, res, error)
    }
    observe(outcome)
  }

  const answerUnmatched = (req: HttpRequest<Who>, res: ServerResponse) => {
    const allowed = METHODS.filter(method => app.find(method, req.path).handlers.length > 0)
    const headers = ['Allow', allowHeader(allowed)]
    if (allowed.length === 0) {
      send(req, res, problemReply({ status: 404, code: 'not_found', detail: 'There is nothing under this path.' }))
    } else if (req.method === 'OPTIONS') {
      send(req, res, { status: 204, body: '', headers })
    } else {
      const detail = `This path does not answer ${req.method}. It answers: ${allowHeader(allowed)}.`
      send(req, res, problemReply({ status: 405, code: 'method_not_allowed', detail }, headers))
    }
    observe({ req, res, pattern: undefined })
  }

  const app = polka<HttpRequest<Who>>({
    onError: (error, req, res) => {
      fail(req, res, error)
      observe({ req, res, pattern: undefined, error })
    },
    onNoMatch: answerUnmatched,
  })
  for (const route of routes) {
    app.add(route.method, toPolkaPattern(rootPath + route.pattern), (req, res) => {
      void answer(route, req, res)
    })
  }
  // polka fills in `next` by itself when it is left out, which its types do not say.
  const route = app.handler as unknown as (req: IncomingMessage, res: ServerResponse) => void

  return (incoming, res, local) => {
    const req = incoming as HttpRequest<Who>
    req.requestId = requestIds()
    req.receivedAt = performance.now()
    req.local = local
    req.tlsOnly = tlsOnly && !local
    req.identity = nobody
    req.isAnonymous = !local
    try {
      checkRequestForm(req)
    } catch (error) {
      fail(req, res, error)
      observe({ req, res, pattern: undefined, error })
      return
    }
    route(req, res)
  }
}

/** polka puts a pattern's text into a regular expression as it is, so a dot would match any character. */
function toPolkaPattern(pattern: string): string {
  return pattern.replaceAll('.', '\\.')
}

function allowHeader(methods: readonly Method[]): string {
  return [...methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
}
