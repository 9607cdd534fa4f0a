/**
 * Runs the command lines that messages name, one after the other, each with an environment, an input and outputs of
 * its own. Node and the program are loaded once for all of them, which is most of what a command costs.
 */

import { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { main as runCommandLine } from '../../../src/cli/main.js'
import type { Run } from '../run-daybook.js'

export interface CommandLine {
  argv: readonly string[]
  env: Record<string, string>
  input: string
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const leave = process.exit.bind(process, 0)
const { main }: { main: typeof runCommandLine } = await import(`${ROOT}dist/program/cli/main.js`)

// A command may have left something open.
process.once('disconnect', leave)
process.on('message', async (line: CommandLine) => {
  process.send?.(await runToItsEnd(line))
})

async function runToItsEnd({ argv, env, input }: CommandLine): Promise<Run> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.exitCode = undefined
  const [out, err] = [new Collected(), new Collected()]
  const streams = { stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]), stdout: out, stderr: err }
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
  const exited = new Promise<number>(resolve => {
    Object.defineProperty(process, 'exit', { value: (code = exitCode()) => resolve(code), configurable: true })
  })
  // A failure is reported, and the process is left, once its text is written.
  const returned = main(ROOT, argv)
    .then(() => setImmediate())
    .then(exitCode)
  const code = await Promise.race([exited, returned])
  for (const name of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(name)
  return { code, out: out.text(), err: err.text() }
}

function exitCode(): number {
  return Number(process.exitCode ?? 0)
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
