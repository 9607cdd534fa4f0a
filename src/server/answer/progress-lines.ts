import type { ServerResponse } from 'node:http'
import { AppError } from '../../model/app-error.js'
import { toFailure } from '../../model/failure.js'
import type { ProgressLine } from '../../model/progress-line.js'
import type { HttpRequest } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { StreamTimes } from './paced-answer.js'
import { apiHeaders } from './reply.js'

export interface ProgressLinesParts {
  shutdown: Shutdown
  times: Pick<StreamTimes, 'heartbeatMs'>
}

/**
 * Answers a long call with lines of JSON: `progress`, finally `result` or `failure`. The work ends with the connection;
 * events recorded until then stay.
 */
export async function answerWithProgress<Progress, Result>(
  { shutdown, times }: ProgressLinesParts,
  { req, res }: { req: HttpRequest; res: ServerResponse },
  work: (call: { signal: AbortSignal; onProgress: (progress: Progress) => void }) => Promise<Result>,
): Promise<undefined> {
  req.isHeld = true
  const open = shutdown.open()
  res.once('close', open.end)
  res.writeHead(200, [...apiHeaders(req), 'Content-Type', 'application/x-ndjson'])
  const report = (line: ProgressLine<Progress, Result>) => res.write(`${JSON.stringify(line)}\n`)
  const heartbeat = setInterval(() => res.write('\n'), times.heartbeatMs)
  try {
    report({ result: await work({ signal: open.signal, onProgress: progress => report({ progress }) }) })
  } catch (error) {
    const refusal = open.signal.aborted ? stopping() : error
    if (!(refusal instanceof AppError)) throw error
    report({ failure: toFailure(refusal) })
  } finally {
    clearInterval(heartbeat)
  }
  await ended(res)
  return undefined
}

function stopping(): AppError {
  return new AppError('unavailable', 'stopping', 'The server is stopping. Run the command again to continue.')
}

function ended(res: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    if (res.closed) resolve()
    else res.end(resolve)
  })
}
