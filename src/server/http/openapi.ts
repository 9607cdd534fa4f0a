import Type, { type TSchema } from '#typebox'
import type { Markup } from '../../login/html.js'
import { named } from '../../model/ledger-answers.js'
import { json } from '../answer/reply.js'
import type { PlainAnswer, ShowPage, ShowPlainPage } from '../pages/plain-pages.js'
import { renderApi } from './api-page.js'
import {
  type AnswerDoc,
  documented,
  type Endpoint,
  type ParameterDoc,
  type Reply,
  type Route,
  type RouteDoc,
} from './route.js'

/** The part of an operation that the page shows. */
export interface Operation {
  tags: string[]
  summary: string
  description: string
  'x-access': string
  parameters?: readonly Described[]
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: Record<string, { description?: string; $ref?: string; content?: Record<string, { schema: unknown }> }>
}

interface Described {
  name: string | undefined
  in: string
  description: string
  schema: unknown
}

/** A reference to a schema that the description contains under its name. */
/** Source: RFC 9457. */
const ProblemSchema = Type.Object({
  type: Type.Literal('about:blank'),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String({ description: 'For programs; never reworded.' }),
  detail: Type.String({ description: 'For people: what was wrong, then what to do.' }),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), detail: Type.String() }))),
  request_id: Type.Optional(Type.String()),
})

/** The description of one program's API, without its routes. */
export interface ApiOutline<Rule extends string> {
  title: string
  description: string
  version: string
  rootPath: string
  /** By the names that `named` refers to. */
  schemas: Readonly<Record<string, TSchema>>
  securitySchemes: Readonly<Record<string, object>>
  /** Groups of routes, by the beginnings of their paths. The first match counts. */
  tags: readonly { name: string; description: string; paths: readonly string[] }[]
  /** Credentials that each access accepts; `{}`: none. */
  security: Readonly<Record<Rule, readonly object[]>>
}

type DescribedRoute<Rule extends string> = Pick<Route<Rule>, 'method' | 'pattern' | 'access' | 'doc'>

const JSON_TYPE = 'application/json'

const PAGE_DOC: RouteDoc = {
  summary: 'This API, as a page',
  description: 'Shows routes, parameters, answers and schemas for people.',
  answers: { 200: { description: 'A page for people', type: 'text/html' } },
}

const DOC: RouteDoc = {
  summary: 'This API, as OpenAPI 3.1',
  description: 'Made from the routes and schemas that the server uses; browsers receive the page.',
  answers: { 200: { description: 'The document', schema: Type.Object({ openapi: Type.String() }) } },
}

/**
 * `GET /api/openapi.json`: the API as OpenAPI 3.1, from the route table and the schemas that validate requests.
 *
 * Browsers receive the page of `GET /docs`.
 *
 * @param routes called at the first request, because the table contains this route too
 */
export function describeApi<Rule extends string>(
  routes: () => readonly DescribedRoute<Rule>[],
  outline: ApiOutline<Rule>,
  showPlain: ShowPlainPage,
): Endpoint {
  let reply: Reply | undefined
  const page = apiPage(routes, outline)
  return documented(DOC, req => {
    const shown = showPlain(req, page())
    if (shown) return shown
    reply ??= json(200, toOpenApi(routes(), outline))
    return reply
  })
}

/** `GET /docs`: the API description as a page. @param routes as for `describeApi` */
export function apiReference<Rule extends string>(
  routes: () => readonly DescribedRoute<Rule>[],
  outline: ApiOutline<Rule>,
  showPage: ShowPage,
): Endpoint {
  const page = apiPage(routes, outline)
  return documented(PAGE_DOC, () => showPage(page()))
}

function apiPage<Rule extends string>(
  routes: () => readonly DescribedRoute<Rule>[],
  outline: ApiOutline<Rule>,
): () => PlainAnswer {
  let details: Markup | undefined
  const page = { status: 200, title: `The API of ${outline.title}`, text: outline.description }
  return () => {
    details ??= renderApi(toOpenApi(routes(), outline))
    return { ...page, details }
  }
}

export type OpenApiDocument = ReturnType<typeof toOpenApi>

function toOpenApi<Rule extends string>(routes: readonly DescribedRoute<Rule>[], outline: ApiOutline<Rule>) {
  const { title, description, version, rootPath, schemas, securitySchemes, security, tags } = outline
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.pattern.replace(/:(\w+)/g, '{$1}')
    const tag = tags.find(({ paths }) => paths.some(start => route.pattern.startsWith(start)))?.name ?? title
    const operation = { tags: [tag], ...toOperation(route, security[route.access]) }
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  const components = Object.entries({ ...schemas, Problem: ProblemSchema })
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: rootPath || '/' }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: Object.assign({}, ...components.map(([name, schema]) => component(name, schema))),
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [refusalName(status), toRefusal(description)]),
      ),
      securitySchemes,
    },
  }
}

function toOperation({ method, pattern, access, doc }: DescribedRoute<string>, security: readonly object[]) {
  const inPath = [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Percent-encoded.',
    schema: { type: 'string' },
  }))
  const parameters = [
    ...inPath,
    ...(doc.query ?? []).map(parameter => toParameter(parameter, 'query')),
    ...(doc.headers ?? []).map(parameter => toParameter(parameter, 'header')),
  ]
  return {
    operationId: operationId(method, pattern),
    summary: doc.summary,
    description: doc.description,
    'x-access': access,
    security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(doc.body ? { requestBody: { required: !doc.mayOmitBody, content: toContent(doc.body) } } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(doc.answers).map(([status, answer]) => [status, toResponse(answer)])),
      ...Object.fromEntries(
        refusalsOf({ pattern, doc }, security).map(status => [
          status,
          { $ref: `#/components/responses/${refusalName(status)}` },
        ]),
      ),
      default: toRefusal('Another refusal, or a failure'),
    },
  }
}

/** Answers that are the same on all routes. Their `code` names the reason. */
const REFUSALS: Record<string, string> = {
  400: 'The request is malformed, or a value in it is invalid',
  401: 'A login is needed, or a credential is wrong',
  403: 'The caller may not do this, or its page may not',
  404: 'Not found',
  413: 'The body is too large',
  415: 'The content type, or the encoding of the body, is not accepted',
  429: 'Too many attempts or events; `Retry-After` has the seconds to wait',
  503: 'The store cannot commit, or the server is busy or stops; `Retry-After` has the seconds to wait',
}

function refusalsOf(
  { pattern, doc }: Pick<DescribedRoute<string>, 'pattern' | 'doc'>,
  security: readonly object[],
): string[] {
  const isIdentified = security.length > 0
  const mayBeAnonymous = security.some(credentials => Object.keys(credentials).length === 0)
  const isPossible: Record<string, boolean> = {
    400: true,
    401: isIdentified && !mayBeAnonymous,
    403: true,
    404: pattern.includes(':'),
    413: doc.body !== undefined,
    415: doc.body !== undefined,
    429: isIdentified,
    503: true,
  }
  return Object.keys(REFUSALS).filter(status => isPossible[status] && !(status in doc.answers))
}

function refusalName(status: string): string {
  return `Refused${status}`
}

function toRefusal(description: string) {
  return { description, content: toContent({ 'application/problem+json': named('Problem') }) }
}

function toParameter({ name, description, schema, repeatable }: ParameterDoc, place: 'query' | 'header') {
  return { name, in: place, description, schema: repeatable ? { type: 'array', items: schema } : schema }
}

function toResponse({ description, type = JSON_TYPE, schema }: AnswerDoc) {
  if (type === JSON_TYPE && !schema) return { description }
  const hasSchema = (each: string) => !Array.isArray(type) || each === JSON_TYPE
  const schemas = [type].flat().map(each => [each, (hasSchema(each) && schema) || {}])
  return { description, content: toContent(Object.fromEntries(schemas)) }
}

function toContent(schemas: Readonly<Record<string, TSchema>>) {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
}

/** `GET /api/events/:dedupe_key` → `get_api_events_dedupe_key` */
function operationId(method: string, pattern: string): string {
  return [method.toLowerCase(), ...pattern.split(/\W+/).filter(Boolean)].join('_')
}

/**
 * A schema as a component of the document. Its `$id`, which would change the base of every reference inside it, is
 * removed. Its own definitions (`$defs`) become components, so that every reference is one of this document.
 */
function component(name: string, schema: TSchema): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  found[name] = toLocal(JSON.parse(JSON.stringify(schema)), found)
  return found
}

function toLocal(value: unknown, found: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map(item => toLocal(item, found))
  if (typeof value !== 'object' || value === null) return value
  const local: Record<string, unknown> = {}
  for (const [member, inner] of Object.entries(value)) {
    if (member === '$id') continue
    if (member === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
      local.$ref = `#/components/schemas/${inner}`
    } else if (member === '$defs') {
      for (const [defined, definition] of Object.entries(inner)) found[defined] = toLocal(definition, found)
    } else {
      local[member] = toLocal(inner, found)
    }
  }
  return local
}
