import type { Api, Tried } from './listing-platform.js'

const HOOK = '/api/v4/projects/42/hooks/7'

/** Source: GitLab, "Project webhooks API": events of a webhook, and resending one. */
export const gitlab: Api = {
  hookPath: HOOK,
  isAuthorised: (req, token) => req.headers['private-token'] === token,
  answer: async ({ method, path, query }, tried, redeliver) => {
    const [, id] = /^\/events\/(\d+)\/resend$/.exec(path.slice(HOOK.length)) ?? []
    if (id !== undefined && method === 'POST') {
      const again = await redeliver(Number(id))
      if (again === undefined) return { status: 422, body: { message: 'The hook URL has changed' } }
      return { status: 201, body: { response_status: again.status === 502 ? 'internal error' : again.status } }
    }
    if (path !== `${HOOK}/events`) return { status: 404, body: { message: '404 Not found' } }
    const count = Math.min(Number(query.get('per_page') ?? 20), 20)
    const from = (Number(query.get('page') ?? 1) - 1) * count
    return { body: tried.slice(from, from + count).map(toHookLog) }
  },
}

const EMAIL = /"[^"\s@]+@[^"\s@]+\.[^"\s@]+"/g

function toHookLog({ id, headers, body, status, isBodiless = false }: Tried) {
  const shown = names(headers)
  return {
    id,
    url: 'https://daybook.example.org/webhooks/code_b',
    trigger: 'push_hooks',
    request_headers: 'X-Gitlab-Token' in shown ? { ...shown, 'X-Gitlab-Token': '[REDACTED]' } : shown,
    request_data: isBodiless ? { oversize: true } : JSON.parse(body.replace(EMAIL, '"[REDACTED]"')),
    response_headers: {},
    response_body: '',
    execution_duration: 1.07,
    response_status: status === 502 ? 'internal error' : String(status),
  }
}

/** As they are shown: `X-Gitlab-Event`. */
function names(headers: Record<string, string>): Record<string, string> {
  const toName = (name: string) => name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase())
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [toName(name), value]))
}
