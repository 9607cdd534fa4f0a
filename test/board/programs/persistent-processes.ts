/**
 * Starts processes that are hard to end: they ignore SIGTERM, and are in its group, in their own sessions, orphaned by
 * their parents, without the environment they were given. Writes their ids to the file `pids`, one line each.
 *
 * Arguments: `stay` (it ignores SIGTERM as well and floods its outputs) or `leave` (it ends immediately, with code 3).
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const PIDS = 'pids'
const STUBBORN = `process.on('SIGTERM', () => {}); require('fs').appendFileSync('${PIDS}', process.pid + '\\n'); setInterval(() => {}, 1000)`
/** Starts a process that ignores SIGTERM in a session of its own and ends, so that this process loses its parent. */
const FORKING = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { detached: true, stdio: 'inherit' }).unref()`

process.on('SIGTERM', () => {})
const [, , whatThen] = process.argv
const children = [
  spawn(process.execPath, ['-e', STUBBORN], { stdio: 'inherit' }),
  spawn(process.execPath, ['-e', STUBBORN], { stdio: 'inherit', detached: true }),
  spawn(process.execPath, ['-e', FORKING], { stdio: 'inherit', detached: true }),
  // Has no mark in its environment, but is in the group.
  spawn(process.execPath, ['-e', STUBBORN], { stdio: 'ignore', env: {} }),
]
if (whatThen === 'stay') {
  // Found as a child, as long as its parent is there.
  children.push(spawn(process.execPath, ['-e', STUBBORN], { stdio: 'ignore', env: {}, detached: true }))
  appendFileSync(PIDS, `${process.pid}\n`)
  // It stays when no process reads its output any more. The pauses leave the processor to others.
  process.stdout.on('error', () => {})
  const flood = () => process.stdout.write('x'.repeat(64 * 1024), () => setTimeout(flood, 50))
  flood()
} else {
  const { readFileSync } = await import('node:fs')
  const isReady = () => {
    try {
      return readFileSync(PIDS, 'utf8').split('\n').length > 4
    } catch {
      return false // not there yet
    }
  }
  setInterval(() => isReady() && process.exit(3), 10)
}
