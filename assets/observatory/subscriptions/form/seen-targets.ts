import { useEffect, useState } from 'preact/hooks'
import { api } from '../../../shared/server/api.js'
import type { EventPage } from '../../../shared/server/wire.js'
import { watchTarget } from '../../events/event-links.js'

/** Events with their payloads are large. */
const LOOKED_AT = 50

/** Targets of the newest events of a source, for suggestions; the wider place of each as well: `stream:eng` of `stream:eng/topic:deploys`. */
export function useSeenTargets(source: string): readonly string[] {
  const [seen, setSeen] = useState<readonly string[]>([])
  useEffect(() => {
    const gone = new AbortController()
    setSeen([])
    const query = { source, order: 'desc', limit: LOOKED_AT }
    api<EventPage>('/api/events', { query, signal: gone.signal }).then(
      ({ items }) => {
        const targets = items.map(watchTarget).filter(target => target !== undefined)
        setSeen([...new Set(targets.flatMap(target => [target, widerTarget(target)]))])
      },
      // They are only suggestions.
      () => undefined,
    )
    return () => gone.abort()
  }, [source])
  return seen
}

function widerTarget(target: string): string {
  return target.replace(/\/(?:topic|issue|pull_request|merge_request):[^/]*$/, '')
}
