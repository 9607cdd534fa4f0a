/**
 * Runs the command lines that messages name, one after the other, each with an environment, an input and outputs of
 * its own. Node, the program and the threads of its stores are loaded once for all of them, which is most of what a command costs.
 */

import { Console } from 'node:console'
import { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import '../../support/reused-threads.js'
// V8 compiles SQLite once for all threads of a process, as long as one of them has it.
import 'node-sqlite3-wasm'
import type { main as runCommandLine } from '../../../src/cli/main.js'

export interface CommandLine {
  argv: readonly string[]
  env: Record<string, string>
  input: string | Buffer
  /** The working folder; absent: that of the tests. */
  cwd?: string
  /** Input and outputs look like a terminal. */
  atTerminal?: boolean
}

export interface HostedRun {
  code: number
  out: Uint8Array
  err: Uint8Array
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const CWD = process.cwd()
const leave = process.exit.bind(process, 0)
const { main }: { main: typeof runCommandLine } = await import(`${ROOT}dist/program/cli/main.js`)

// A command may have left something open.
process.once('disconnect', leave)
process.on('message', async (line: CommandLine) => {
  process.send?.(await runToItsEnd(line))
})

async function runToItsEnd({ argv, env, input, cwd = CWD, atTerminal = false }: CommandLine): Promise<HostedRun> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.exitCode = undefined
  process.chdir(cwd)
  const [out, err] = [new Collected(), new Collected()]
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)])
  const streams = { stdin, stdout: out, stderr: err }
  for (const [name, stream] of Object.entries(streams)) {
    if (atTerminal) Object.defineProperties(stream, TERMINAL)
    Object.defineProperty(process, name, { value: stream, configurable: true })
  }
  // Node's own console keeps the outputs that it writes to first.
  globalThis.console = new Console(out, err)
  const exited = new Promise<number>(resolve => {
    Object.defineProperty(process, 'exit', { value: (code = exitCode()) => resolve(code), configurable: true })
  })
  // A failure is reported, and the process is left, once its text is written.
  const returned = main(ROOT, argv)
    .then(() => setImmediate())
    .then(exitCode)
  const code = await Promise.race([exited, returned])
  for (const name of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(name)
  return { code, out: out.bytes(), err: err.bytes() }
}

function exitCode(): number {
  return Number(process.exitCode ?? 0)
}

/** Same as in `at-terminal.ts`. */
const TERMINAL = { isTTY: { value: true }, columns: { value: 100 }, getWindowSize: { value: () => [100, 40] } }

class Collected extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
