import type { Api, Tried } from './listing-platform.js'

const PAGE = 50

/** Source: Discourse, `Admin::WebHooksController` and `AdminWebHookEventSerializer`. */
export const discourse: Api = {
  hookPath: '/admin/api/web_hooks/3',
  isAuthorised: (req, token) => req.headers['api-key'] === token && req.headers['api-username'] === 'system',
  answer: async ({ method, path, query }, tried, redeliver) => {
    const [, id] = /^\/admin\/api\/web_hooks\/3\/events\/(\d+)\/redeliver\.json$/.exec(path) ?? []
    if (id !== undefined && method === 'POST') {
      const again = await redeliver(Number(id))
      return again ? { body: { web_hook_event: toEvent(again) } } : { status: 404, body: { errors: ['not found'] } }
    }
    if (path !== '/admin/api/web_hook_events/3.json') return { status: 404, body: { errors: ['not found'] } }
    const offset = Number(query.get('offset') ?? 0)
    return {
      body: {
        web_hook_events: tried.slice(offset, offset + PAGE).map(toEvent),
        total_rows_web_hook_events: tried.length,
        load_more_web_hook_events: `/admin/api/web_hook_events/3.json?limit=${PAGE}&offset=${offset + PAGE}`,
        extras: { web_hook_id: 3 },
      },
    }
  },
}

function toEvent({ id, headers, body, status, at, isBodiless = false }: Tried) {
  return {
    id,
    web_hook_id: 3,
    request_url: 'https://daybook.example.org/webhooks/forum',
    headers: isBodiless ? null : JSON.stringify({ ...headers, 'Content-Length': body.length }),
    payload: body,
    status: status === 502 ? -1 : status,
    response_headers: '{}',
    response_body: '',
    duration: 12,
    created_at: new Date(at).toISOString(),
  }
}
