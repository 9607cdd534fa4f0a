/** The process that runs the command lines of a test, one at a time. It starts with the first one. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHEAP_START } from '../support/cheap-start.js'
import type { CommandLine, HostedRun } from './programs/command-host.js'

const HOST = fileURLToPath(new URL('./programs/command-host.js', import.meta.url))
/** Only a hang takes so long, however busy the machine. */
export const LONGEST_MILLISECONDS = 120_000

let host: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/** Runs a command line to its end, after those that wait already. */
export function runInHost(line: CommandLine): Promise<HostedRun> {
  const asked = last.then(() => askHost(line))
  last = asked.catch(() => {})
  return asked
}

async function askHost(line: CommandLine): Promise<HostedRun> {
  host ??= fork(HOST, { execArgv: [...CHEAP_START], env: {}, serialization: 'advanced' })
  const given = new AbortController()
  const tooLong = setTimeout(() => host?.kill('SIGKILL'), LONGEST_MILLISECONDS)
  host.channel?.ref()
  host.send(line)
  try {
    return await Promise.race([
      once(host, 'message', given).then(([run]) => run as HostedRun),
      once(host, 'exit', given).then(([code, signal]) => {
        host = undefined
        throw new Error(`The process of the commands ended with ${code ?? signal} at: daybook ${line.argv.join(' ')}`)
      }),
    ])
  } finally {
    clearTimeout(tooLong)
    given.abort()
    host?.unref()
    host?.channel?.unref()
  }
}
