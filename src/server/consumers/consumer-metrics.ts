import type { Identity } from '../../accounts/identity.js'
import type { HttpRequest } from '../http/route.js'
import { type Metric, metricBy } from '../metrics/metric.js'
import { toCaller } from '../request/caller.js'
import type { ServedConsumers } from './consumer-routes.js'

/** Metrics of the consumers that the caller may see. */
export async function consumerMetrics(
  consumers: Pick<ServedConsumers, 'list'>,
  { identity }: HttpRequest<Identity>,
): Promise<Metric[]> {
  const listed = await consumers.list(toCaller(identity))
  if (listed.length === 0) return []
  const lags = (value: 'events' | 'seconds') => listed.map(({ name, lag }) => [name, lag[value]] as const)
  return [
    metricBy('consumer', lags('events'), {
      name: 'daybook_consumer_lag_events',
      help: 'Matching events after the checkpoint of a consumer; a lower bound where counting takes too long.',
    }),
    metricBy('consumer', lags('seconds'), {
      name: 'daybook_consumer_lag_seconds',
      help: 'Age of the oldest of these events; an upper bound where finding it takes too long.',
    }),
  ]
}
