import type { LogPiece, Run } from '#model/board/run'
import { ApiProblem, segment } from '../../shared/server/api.js'
import { readEventStream, type StreamMessage } from '../../shared/server/sse-reader.js'
import { pause } from '../../shared/timing.js'
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
  let openedAt = Number.NaN
  let aheadMs = 0
  let hasEnded = false
  const open = async (signal: AbortSignal) => {
    const call = { query: { after: reader.after() }, headers: { accept: 'text/event-stream' }, signal }
    const answer = await boardResponse(`/runs/${segment(runId)}/log`, call)
    // The server's clock may differ from the device's. That of another board is not known.
    openedAt = toMs((boardName.peek() === '' && answer.headers.get('date')) || '')
    aheadMs = Date.now() - openedAt
    reader.onLink(0)
    return answer
  }
  const take = (messages: readonly StreamMessage[]) => {
    reader.onHeard()
    const pieces = messages.filter(({ event }) => event === 'message').map(({ data }): LogPiece => JSON.parse(data))
    if (pieces.length > 0) reader.onPieces(pieces)
    reader.onLink(secondsBehind(pieces.at(-1), { openedAt, now: Date.now() - aheadMs }))
    const end = messages.find(({ event }) => event === 'end')
    hasEnded ||= end !== undefined
    if (end) reader.onEnd(JSON.parse(end.data))
  }
  await readEventStream(open, take, signal)
  return hasEnded
}
