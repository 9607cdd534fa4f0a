import { useEffect, useState } from 'preact/hooks'
import type { SubscriptionPreview } from '#model/subscriptions/subscription-preview'
import { ApiProblem, api } from '../../../shared/server/api.js'
import type { Draft } from './draft.js'

const WAIT_MS = 400
const LONGEST_RETRY_S = 5

export interface PreviewState {
  /** For the draft or, during a request, for its previous version. */
  preview: SubscriptionPreview | undefined
  problem: unknown
  /** Whether it belongs to the current draft. */
  isCurrent: boolean
}

/** Requests a preview of a draft after a pause in editing. Undefined: nothing to request. */
export function usePreview(draft: Draft | undefined): PreviewState {
  const [shown, setShown] = useState<{ of: string; preview?: SubscriptionPreview | undefined; problem?: unknown }>({
    of: '',
  })
  const asked = draft === undefined ? '' : JSON.stringify(draft)
  useEffect(() => {
    if (asked === '') return
    const gone = new AbortController()
    let timer = window.setTimeout(ask, WAIT_MS)
    async function ask(): Promise<void> {
      try {
        const call = { body: JSON.parse(asked), signal: gone.signal }
        const preview = await api<SubscriptionPreview>('/api/subscriptions/preview', call)
        setShown({ of: asked, preview })
      } catch (problem) {
        if (gone.signal.aborted) return
        const wait =
          problem instanceof ApiProblem && problem.code === 'busy' ? (problem.retryAfterSeconds ?? 1) : undefined
        if (wait === undefined) setShown({ of: asked, problem })
        else timer = window.setTimeout(ask, Math.min(wait, LONGEST_RETRY_S) * 1000)
      }
    }
    return () => {
      gone.abort()
      window.clearTimeout(timer)
    }
  }, [asked])
  return { preview: shown.preview, problem: shown.problem, isCurrent: asked !== '' && shown.of === asked }
}
