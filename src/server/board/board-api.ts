import type { BoardAccess } from '../../gate/access.js'
import type { CookiePlace } from '../../login/cookies.js'
import { CardSchema } from '../../model/board/card.js'
import { RunSchema } from '../../model/board/run.js'
import type { ApiNames } from '../openapi.js'

const CREDENTIALS = [{ key: [] }, { keyHeader: [] }, { session: [] }]

/** What the description of the board's API says besides its routes. */
export function boardApi(parts: {
  version: string
  rootPath: string
  cookie: Pick<CookiePlace, 'name'>
}): ApiNames<BoardAccess> {
  return {
    title: 'Daybook board',
    description: 'What is to be done, behind an access gate: cards, runs of them, and other boards.',
    version: parts.version,
    rootPath: parts.rootPath,
    schemas: { Card: CardSchema, Run: RunSchema },
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: 'The API key.' },
      keyHeader: { type: 'apiKey', in: 'header', name: 'X-Board-Token' },
      session: {
        ...{ type: 'apiKey', in: 'cookie', name: parts.cookie.name },
        description:
          'Of a login. Whatever changes something also needs its csrf_token, as X-CSRF-Token, and an Origin.',
      },
      executor: { type: 'apiKey', in: 'header', name: 'X-Board-Executor-Token' },
    },
    security: {
      public: [],
      anybody: [{}, ...CREDENTIALS],
      login: [],
      logout: CREDENTIALS,
      api: CREDENTIALS,
      execute: CREDENTIALS.map(credential => ({ ...credential, executor: [] })),
      local: [],
    },
  }
}
