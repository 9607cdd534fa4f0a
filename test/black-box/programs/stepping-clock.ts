/**
 * Run before the server: each SIGUSR2 sets its clock back by an hour and prints a line to standard error. Worker threads
 * also load it; they receive no signals, so the main thread sends them the time.
 */
import { isMainThread } from 'node:worker_threads'

const HOUR_MS = 3_600_000

if (isMainThread) {
  const realNow = Date.now
  let behindMs = 0
  Date.now = () => realNow() - behindMs
  process.on('SIGUSR2', () => {
    behindMs += HOUR_MS
    process.stderr.write('the clock was set back\n')
  })
}
