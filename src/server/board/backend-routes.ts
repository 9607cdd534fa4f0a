import Type from '#typebox'
import type { Backends } from '../../proxy/backends.js'
import { json } from '../answer/reply.js'
import { METHODS, type RouteDoc } from '../http/route.js'
import type { BoardHandler, BoardRoute } from './board-route.js'
import { type ProxyParts, proxy } from './proxy.js'

/** The other boards, and the way to them. */
export function backendRoutes(parts: ProxyParts): BoardRoute[] {
  const handle = proxy(parts)
  return [
    {
      method: 'GET',
      pattern: '/api/backends',
      access: 'api',
      handle: listBackends(parts.backends),
      doc: LIST_DOC,
    },
    ...METHODS.map(
      (method): BoardRoute => ({
        method,
        pattern: '/api/backends/:profile/api/*',
        access: 'api',
        handle,
        doc: PROXY_DOC,
      }),
    ),
  ]
}

/** `GET /api/backends`: the profiles that are understood. Whether their boards answer is for the caller to find out. */
function listBackends(backends: Backends): BoardHandler {
  return async () => {
    const profiles = await backends.listProfiles()
    const items = profiles.map(({ name, url }) => ({ name, url }))
    return json(200, { items, count: items.length })
  }
}

const BackendListSchema = Type.Object({
  items: Type.Array(
    Type.Object({ name: Type.String(), url: Type.String({ description: 'Base address of that board.' }) }),
  ),
  count: Type.Integer(),
})

const LIST_DOC: RouteDoc = {
  summary: 'The other boards that can be reached through this one.',
  answers: { 200: { description: 'Names for the paths below, and addresses.', schema: BackendListSchema } },
}

const PROXY_DOC: RouteDoc = {
  summary: 'The same request to another board, by the key of its profile.',
  headers: [
    {
      name: 'X-Board-Executor-Token',
      description: "Our own executor's token, for what needs one there; it stays here.",
      schema: Type.String(),
    },
    {
      name: 'X-Board-Backend-Executor-Token',
      description: "The other board's executor token, for what needs it there.",
      schema: Type.String(),
    },
  ],
  answers: {
    200: { description: 'Whatever the other board answers, with listed headers alone.' },
    502: { description: 'It cannot be reached, or gave no answer that can be passed on.' },
    504: { description: 'It did not answer in time.' },
  },
}
