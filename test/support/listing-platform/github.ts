import { type KeyObject, verify } from 'node:crypto'
import type { Api, Tried } from './listing-platform.js'

/** Source: GitHub, "REST API endpoints for repository webhooks": `hook-delivery-item` and `hook-delivery`. */
export const github: Api = {
  hookPath: '/repos/acme/site/hooks/12345678',
  isAuthorised: (req, token) => req.headers.authorization === `Bearer ${token}`,
  answer: answersBelow('/repos/acme/site/hooks/12345678'),
}

/**
 * The webhook of a GitHub App, which only the app itself may read.
 *
 * Source: GitHub, "REST API endpoints for GitHub App webhooks", "Generating a JSON Web Token (JWT) for a GitHub App".
 */
export function githubApp({ id, publicKey }: { id: string; publicKey: KeyObject }): Api {
  return {
    hookPath: '/app/hook',
    isAuthorised: req => isTokenOf(id, publicKey, req.headers.authorization ?? ''),
    answer: answersBelow('/app/hook'),
  }
}

function isTokenOf(id: string, publicKey: KeyObject, authorization: string): boolean {
  const [, head = '', claims = '', signature = ''] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/u.exec(authorization) ?? []
  const isSigned = verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}')
  const { iat, exp, iss } = read(claims)
  const now = Date.now() / 1_000
  return isSigned && read(head).alg === 'RS256' && iss === id && iat <= now && exp > now && exp <= now + 600
}

function answersBelow(hook: string): Api['answer'] {
  return async ({ method, path, query }, tried, redeliver) => {
    const [, id, attempts] = /^\/deliveries\/(\d+)(\/attempts)?$/.exec(path.slice(hook.length)) ?? []
    const one = tried.find(each => String(each.id) === id)
    if (id !== undefined && attempts && method === 'POST') {
      if (one === undefined) return NOT_FOUND
      // It answers before it delivers.
      void redeliver(one.id)
      return { status: 202, body: {} }
    }
    if (id !== undefined) return one ? { body: { ...toItem(one), ...toRequest(one) } } : NOT_FOUND
    if (path !== `${hook}/deliveries`) return NOT_FOUND
    const count = Number(query.get('per_page') ?? 30)
    const from = tried.findIndex(each => query.get('cursor') === null || `v1_${each.id}` === query.get('cursor'))
    const page = tried.slice(from, from + count)
    const next = tried[from + count]
    const link = next
      ? { link: `<http://elsewhere.example${path}?per_page=${count}&cursor=v1_${next.id}>; rel="next"` }
      : {}
    return { headers: link, body: page.map(toItem) }
  }
}

const NOT_FOUND = { status: 404, body: { message: 'Not Found' } }

function toItem({ id, headers, body, status, at, isRedelivery = false }: Tried) {
  const isDelivered = status >= 200 && status < 300
  return {
    id,
    guid: headers['x-github-delivery'],
    delivered_at: new Date(at).toISOString(),
    redelivery: isRedelivery,
    duration: 0.27,
    status: isDelivered ? 'OK' : 'failed to connect',
    status_code: status,
    event: headers['x-github-event'],
    action: (JSON.parse(body) as { action?: string }).action ?? null,
    installation_id: null,
    repository_id: 1,
  }
}

function toRequest({ headers, body, isBodiless = false }: Tried) {
  return {
    url: 'https://daybook.example.org/webhooks/code_a',
    request: { headers: headers, payload: isBodiless ? null : JSON.parse(body) },
    response: { headers: {}, payload: null },
  }
}
