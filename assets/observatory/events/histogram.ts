import { useEffect } from 'preact/hooks'
import { api } from '../../shared/api.js'
import { createResource } from '../../shared/resource.js'
import { apiQuery, queryKey } from './filters.js'

/** PLACEHOLDER until the histogram is written. */
export const counts = createResource(signal =>
  api<{ count: number; complete: boolean; by_source: Record<string, { count: number }> }>('/api/events/histogram', {
    query: { ...apiQuery(), buckets: 60 },
    signal,
  }),
)

export function Histogram() {
  const key = queryKey.value
  useEffect(() => void counts.load(), [key])
  return null
}
