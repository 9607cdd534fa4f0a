import type { BoardAccess } from '../../gate/access.js'
import type { CookiePlace } from '../../login/cookies.js'
import { CardSchema } from '../../model/board/card.js'
import { RunSchema } from '../../model/board/run.js'
import type { ApiOutline } from '../http/openapi.js'

const CREDENTIALS = [{ key: [] }, { keyHeader: [] }, { session: [] }]

/** The description of the board's API, without its routes. */
export function boardApi(parts: {
  version: string
  rootPath: string
  cookie: Pick<CookiePlace, 'name'>
}): ApiOutline<BoardAccess> {
  return {
    title: 'Daybook board',
    description: 'Cards, runs of cards, and other boards, behind an access gate.',
    version: parts.version,
    rootPath: parts.rootPath,
    schemas: { Card: CardSchema, Run: RunSchema },
    tags: [
      { name: 'Cards', description: 'Tasks in columns.', paths: ['/api/cards'] },
      { name: 'Runs', description: 'Runs of cards, and the executor.', paths: ['/api/runs', '/api/executor'] },
      { name: 'Other boards', description: 'What this board reaches for its callers.', paths: ['/api/backends'] },
      {
        name: 'Login',
        description: 'Sessions, and how to log in.',
        paths: ['/api/login', '/api/logout', '/api/session', '/api/auth'],
      },
      {
        name: 'Server',
        description: 'State, metrics and descriptions of the server.',
        paths: ['/api/', '/metrics', '/livez', '/readyz', '/docs'],
      },
      { name: 'Pages', description: 'Pages for people, and their files.', paths: ['/'] },
    ],
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: 'The API key.' },
      keyHeader: { type: 'apiKey', in: 'header', name: 'X-Board-Token' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: parts.cookie.name,
        description:
          'Of a login. Requests that change something also need its csrf_token, as X-CSRF-Token, and an Origin.',
      },
      executor: { type: 'apiKey', in: 'header', name: 'X-Board-Executor-Token' },
    },
    security: {
      public: [],
      optional_login: [{}, ...CREDENTIALS],
      login: [],
      logout: CREDENTIALS,
      api: CREDENTIALS,
      execute: CREDENTIALS.map(credential => ({ ...credential, executor: [] })),
      local: [],
    },
  }
}
