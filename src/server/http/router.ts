import type { IncomingMessage, ServerResponse } from 'node:http'
import polka, { type Polka } from 'polka'
import type { AnswerBudget } from '../answer/answer-budget.js'
import { compressed } from '../answer/compressed.js'
import { problemReply, toProblemReply } from '../answer/problem.js'
import { send as sendReply } from '../answer/reply.js'
import { hasLeft } from '../answer/slow-reader.js'
import { refusalShown, type ShowPlainPage } from '../pages/plain-pages.js'
import { checkRequestForm } from '../request/request-form.js'
import { type CrossOrigin, preflight } from './cross-origin.js'
import { type HttpRequest, METHODS, type Method, type Reply, type Route } from './route.js'

/** Called for every request after its answer. */
type Observe<Rule extends string, Who> = (outcome: RequestOutcome<Rule, Who>) => void

export interface RequestOutcome<Rule extends string = string, Who = unknown> {
  req: HttpRequest<Who>
  res: ServerResponse
  /** The route's pattern; undefined if none matched. */
  pattern: string | undefined
  /** The route's access, if one matched. */
  access?: Rule
  /** The error with which it failed. */
  error?: unknown
}

export interface RouterParts<Rule extends string, Who> {
  routes: readonly Route<Rule, Who>[]
  /** In front of every pattern: empty, or `/x`. */
  rootPath: string
  /** Sets the request's identity. @throws AppError if it may not use the route */
  authorise: (route: Pick<Route<Rule, Who>, 'access' | 'method'>, req: HttpRequest<Who>) => Promise<void>
  /** Answers browsers that open an address of the API. Absent: they receive JSON. */
  showPlain?: ShowPlainPage
  /** Permits pages of other origins; absent: none. */
  crossOrigin?: CrossOrigin<Rule>
  /** `WWW-Authenticate` for a caller without a login; `Bearer` when absent. */
  challenge?: string
  /** The identity of a request before `authorise`. */
  anonymous: Who
  /** Routes with these rules have no secrets in their answers, so these are compressed for readers that accept it. */
  compressible?: ReadonlySet<Rule>
  observe: Observe<Rule, Who>
  /** The memory for large answers. */
  budget: AnswerBudget
  /** Browsers reach this server over TLS only. */
  tlsOnly: boolean
  requestIds: () => string
}

/** Answers a request; `local` when it came over the owner's socket. */
export type HandleRequest = (req: IncomingMessage, res: ServerResponse, local: boolean) => void

/** Status in logs and metrics for a request whose sender left before the answer; never sent. */
export const CLIENT_GONE = 499

/**
 * Turns a route table into a request handler. Every request passes here, and every failure is answered in one place.
 *
 * polka ignores case in paths and accepts one trailing slash, so access cannot be decided by comparing paths. Instead,
 * each route has its rule, and the matching row applies it. polka's own handlers for errors and for unknown paths would
 * send `error.message` to the caller; both are replaced.
 *
 * Order of checks: form and Host, route, method, access, then the handler.
 */
export function createRouter<Rule extends string, Who>({
  routes,
  rootPath,
  authorise,
  anonymous,
  challenge,
  crossOrigin,
  observe,
  tlsOnly,
  requestIds,
  budget,
  showPlain = () => undefined,
  compressible = new Set(),
}: RouterParts<Rule, Who>): HandleRequest {
  const send = (req: HttpRequest<Who>, res: ServerResponse, reply: Reply) =>
    sendReply(req, res, { reply: refusalShown(showPlain, req, reply), budget })

  const fail = (req: HttpRequest<Who>, res: ServerResponse, error: unknown) => {
    if (!res.closed) send(req, res, toProblemReply(error, req.requestId, challenge))
    // The caller has left, so an error that this caused is not a failure of the server.
    else if (!res.headersSent) res.statusCode = CLIENT_GONE
  }

  const answer = async (route: Route<Rule, Who>, req: HttpRequest<Who>, res: ServerResponse) => {
    const outcome: RequestOutcome<Rule, Who> = { req, res, pattern: route.pattern, access: route.access }
    const origin = crossOrigin?.originOf(req, route.access)
    if (origin !== undefined) req.crossOrigin = origin
    try {
      await authorise(route, req)
      // Handlers recognise by an event that a sender leaves. For one that left during `authorise`, it has passed.
      if (hasLeft(res)) throw new Error('The sender left before it was identified')
      const reply = await route.handle(req, res)
      const fit = reply && compressible.has(route.access) ? compressed(req, reply) : reply
      const sent = fit instanceof Promise ? await fit : fit
      const untaken = sent && send(req, res, sent)
      if (untaken) await untaken
    } catch (error) {
      outcome.error = error
      fail(req, res, error)
    }
    observe(outcome)
  }

  /** Answers the preflight of a page that may use some of the methods. @returns its headers */
  const permitPage = (req: HttpRequest<Who>, allowed: readonly Method[]): string[] => {
    const originFor = (method: Method) => {
      const route = routeOf(method, req.path)
      return route && crossOrigin?.originOf(req, route.access)
    }
    const methods = allowed.filter(method => originFor(method) !== undefined)
    const [method] = methods
    const origin = method && originFor(method)
    if (origin === undefined) return []
    req.crossOrigin = origin
    return preflight(methods)
  }

  const answerUnmatched = (req: HttpRequest<Who>, res: ServerResponse) => {
    const allowed = METHODS.filter(method => app.find(method, req.path).handlers.length > 0)
    const headers = ['Allow', allowHeader(allowed)]
    if (allowed.length === 0) {
      const detail = `There is no such path. ${rootPath}/api/openapi.json lists all paths.`
      send(req, res, problemReply({ status: 404, code: 'not_found', detail }))
    } else if (req.method === 'OPTIONS') {
      send(req, res, { status: 204, body: '', headers: [...headers, ...permitPage(req, allowed)] })
    } else {
      const detail = `This path does not accept ${req.method}. It accepts: ${allowHeader(allowed)}.`
      const text = `It accepts ${allowed.join(' and ')}: ${routeOf(allowed[0] as Method, req.path)?.doc.summary}.`
      const page = { status: 405, headers, title: 'This address is for programs', text }
      send(req, res, showPlain(req, page) ?? problemReply({ status: 405, code: 'method_not_allowed', detail }, headers))
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
  app.parse = splitTarget
  const byHandler = new Map<unknown, Route<Rule, Who>>()
  const routeOf = (method: Method, path: string) => byHandler.get(app.find(method, path).handlers[0])
  for (const route of routes) {
    const handle = (req: HttpRequest<Who>, res: ServerResponse) => void answer(route, req, res)
    byHandler.set(handle, route)
    app.add(route.method, toPolkaPattern(rootPath + route.pattern), handle)
  }
  const paths = routes.map(({ method, pattern }) => [method, rootPath + pattern] as const)
  app.find = findQuickly(app.find.bind(app), paths)
  // polka supplies `next` if it is missing, contrary to its types.
  const route = app.handler as unknown as (req: IncomingMessage, res: ServerResponse) => void

  return (incoming, res, local) => {
    const req = incoming as HttpRequest<Who>
    req.requestId = requestIds()
    req.target = req.url
    req.receivedAt = performance.now()
    req.local = local
    req.tlsOnly = tlsOnly && !local
    req.identity = anonymous
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

/**
 * polka compares a path with the pattern of every route of its method. Most requests have the path of a route without
 * parameters, so the matches of these are cached: measured, that saves a twentieth of a small answer.
 */
function findQuickly<Found>(
  find: (method: Method, path: string) => Found,
  routes: readonly (readonly [Method, string])[],
): (method: Method, path: string) => Found {
  const fixed = routes.filter(([, path]) => !/[:*]/.test(path))
  const known = new Map(fixed.map(([method, path]) => [`${method} ${path}`, find(method, path)]))
  return (method, path) => known.get(`${method} ${path}`) ?? find(method, path)
}

/** Replaces polka's parser, which would also parse the query string; handlers read that themselves. */
function splitTarget({ url = '' }: IncomingMessage): ReturnType<Polka['parse']> {
  const fragment = url.indexOf('#')
  const end = fragment === -1 ? url.length : fragment
  const mark = url.indexOf('?')
  const pathEnd = mark === -1 || mark > end ? end : mark
  const [pathname, search] = [url.slice(0, pathEnd), url.slice(pathEnd, end)]
  return { raw: url, pathname, search, query: undefined, hash: url.slice(end) }
}

/** polka puts a pattern's text into a regular expression without escaping it, so a dot would match any character. */
function toPolkaPattern(pattern: string): string {
  return pattern.replaceAll('.', '\\.')
}

function allowHeader(methods: readonly Method[]): string {
  return [...methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
}
