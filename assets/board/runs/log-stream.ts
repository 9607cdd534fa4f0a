import type { LogPiece, Run } from '#model/board/run'
import { ApiProblem, segment } from '../../shared/server/api.js'
import { SseReader } from '../../shared/server/sse-reader.js'
import { toMs } from '../../shared/words/time.js'
import { boardName, boardResponse } from '../place.js'
import { secondsBehind } from './log-lines.js'

export interface LogReader {
  /** `seq` of the last known piece, where reading continues. */
  after: () => number
  onPieces: (pieces: readonly LogPiece[]) => void
  /** Called when everything was sent and the run has ended. */
  onEnd: (run: Run) => void
  /** Called with the seconds that the last piece took to arrive, and when the connection is lost: the server was last heard at that time. */
  onLink: (link: number | { heardAt: number }) => void
}

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 15_000
/** The server sends a keep-alive every 15 seconds. */
const SILENT_MS = 40_000

/**
 * Follows the log of a run until it ends or `signal` is aborted; continues after a lost connection. Does not use
 * `EventSource`, which cannot send an API key.
 *
 * @throws ApiProblem if the server refuses, e.g. because there is no such run
 */
export async function followLog(runId: string, reader: LogReader, signal: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS
  let heardAt = Date.now()
  const onHeard = () => {
    heardAt = Date.now()
  }
  while (!signal.aborted) {
    const before = reader.after()
    try {
      if (await readOnce(runId, { ...reader, onHeard }, signal)) return
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
    }
    if (signal.aborted) return
    reader.onLink({ heardAt })
    if (reader.after() > before) retryMs = FIRST_RETRY_MS
    await pause(retryMs, signal)
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
  }
}

/** A lost connection or a failing server, as reported by fetch and its streams. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.status === 0 || error.status >= 500 || error.status === 429
  return error instanceof TypeError || error instanceof DOMException
}

/** @returns whether the log has ended */
async function readOnce(
  runId: string,
  reader: LogReader & { onHeard: () => void },
  signal: AbortSignal,
): Promise<boolean> {
  const silence = new AbortController()
  const answer = await boardResponse(`/runs/${segment(runId)}/log`, {
    query: { after: reader.after() },
    headers: { Accept: 'text/event-stream' },
    signal: AbortSignal.any([signal, silence.signal]),
  })
  // The server's clock may differ from the device's. That of another board is not known.
  const openedAt = toMs((boardName.peek() === '' && answer.headers.get('date')) || '')
  const aheadMs = Date.now() - openedAt
  reader.onLink(0)
  const messages = new SseReader()
  const decoder = new TextDecoder()
  const stream = answer.body?.getReader()
  if (!stream) return false
  let timer = 0
  let hasEnded = false
  try {
    for (;;) {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => silence.abort(), SILENT_MS)
      const { done, value } = await stream.read()
      if (done) return hasEnded
      reader.onHeard()
      const pieces: LogPiece[] = []
      let ended: Run | undefined
      for (const { event, data } of messages.take(decoder.decode(value, { stream: true }))) {
        if (event === 'message') pieces.push(JSON.parse(data))
        if (event === 'end') {
          hasEnded = true
          ended = JSON.parse(data)
        }
      }
      if (pieces.length > 0) reader.onPieces(pieces)
      reader.onLink(secondsBehind(pieces.at(-1), { openedAt, now: Date.now() - aheadMs }))
      if (ended) reader.onEnd(ended)
    }
  } finally {
    window.clearTimeout(timer)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = window.setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer)
      resolve()
    })
  })
}
