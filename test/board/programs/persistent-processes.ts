/**
 * Starts processes that are hard to end: they ignore SIGTERM, and are in its group, in their own sessions, orphaned by
 * their parents, without the environment they were given. Writes their ids to the file `pids`, one line each.
 *
 * Arguments: `stay` (it ignores SIGTERM as well), `flood` (it also fills its output), or `leave` (it ends immediately, with
 * code 3).
 */
import { type SpawnOptions, spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const PIDS = 'pids'
/** The last program of a shell keeps its id, and ignores what the shell ignores. */
const STUBBORN = `trap "" TERM; echo $$ >> ${PIDS}; exec sleep 600`

process.on('SIGTERM', () => {})
const [, , whatThen] = process.argv
const start = (script: string, options: SpawnOptions) => spawn('/bin/sh', ['-c', script], options)
const children = [
  start(STUBBORN, { stdio: 'inherit' }),
  start(STUBBORN, { stdio: 'inherit', detached: true }),
  // In a session of its own, without its parent, which ends.
  start(`setsid -f sh -c '${STUBBORN}'`, { stdio: 'inherit', detached: true }),
  // Has no mark in its environment, but is in the group.
  start(STUBBORN, { stdio: 'ignore', env: {} }),
]
if (whatThen === 'leave') {
  const { readFileSync } = await import('node:fs')
  const isReady = () => {
    try {
      return readFileSync(PIDS, 'utf8').split('\n').length > 4
    } catch {
      return false // not there yet
    }
  }
  setInterval(() => isReady() && process.exit(3), 10)
} else {
  // Found as a child, as long as its parent is there.
  children.push(start(STUBBORN, { stdio: 'ignore', env: {}, detached: true }))
  appendFileSync(PIDS, `${process.pid}\n`)
  // It stays when no process reads its output any more. The pauses leave the processor to others.
  process.stdout.on('error', () => {})
  const flood = () => process.stdout.write('x'.repeat(64 * 1024), () => setTimeout(flood, 50))
  if (whatThen === 'flood') flood()
  else setInterval(() => {}, 60_000)
}
