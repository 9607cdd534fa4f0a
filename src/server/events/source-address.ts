import Type from '#typebox'
import { AppError } from '../../model/app-error.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import { pathParam } from '../request/path-param.js'
import { echoReply } from './echo.js'
import { type DefinedSourceParts, noSuchSource } from './webhook-routes.js'

/**
 * `GET /webhooks/in/:name`: before they deliver, services check whether there is a receiver, many with `HEAD`. Records
 * nothing.
 */
export function checkSourceAddress({ ledger }: Pick<DefinedSourceParts, 'ledger'>): Endpoint {
  return documented(DOC, async req => {
    const source = await ledger.sources.find(pathParam(req))
    if (source === undefined) throw noSuchSource()
    const { definition } = source.adapter
    if (definition.enabled === false || definition.proof.type === 'feed') {
      throw new AppError('forbidden', 'source_closed', 'This source accepts no deliveries.')
    }
    return echoReply(definition.echo, req) ?? { status: 200, body: '{}' }
  })
}

const DOC: RouteDoc = {
  summary: 'Whether a source receives deliveries here',
  description: 'Before a service delivers, it may check the address. Answers `echo` of the definition.',
  answers: {
    200: {
      description: 'It receives deliveries, or what the service wants to read',
      type: ['application/json', 'text/plain'],
      schema: Type.Object({}),
    },
  },
}
