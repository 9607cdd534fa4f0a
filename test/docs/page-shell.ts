import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { CHEAP_START } from '../black-box/child.js'
import { ROOT } from './pages.js'

const AT_TERMINAL = fileURLToPath(new URL('../commands/programs/at-terminal.js', import.meta.url))
/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000

/**
 * `daybook`, as a reader has it on the path. What it prints for the reader to see it prints as at a terminal; into a
 * pipe or a file it prints what it prints there. NODE_OPTIONS of the tests are none of the reader's.
 */
const DAYBOOK = `#!/bin/sh
unset NODE_OPTIONS
script='${ROOT}/bin/run.js'
if [ /dev/stdout -ef "$READER" ]; then script='${AT_TERMINAL}'; fi
exec '${process.execPath}' ${CHEAP_START.join(' ')} "$script" "$@"
`

/** What a block came to. */
export interface BlockRun {
  /** The shell is still there; a command that fails ends it. */
  ok: boolean
  out: string
  err: string
}

/** One reader's terminal: the blocks of a page run in it one after the other, and share folder and variables. */
export class PageShell {
  readonly #shell: ChildProcess
  readonly #ended: Promise<void>
  readonly #scripts: string
  #blocks = 0

  /** @param home the reader's home folder, which is there */
  constructor(t: Test, home: string) {
    const [bin, work] = [join(home, 'bin'), join(home, 'work')]
    this.#scripts = join(home, 'blocks')
    for (const folder of [bin, work, this.#scripts]) mkdirSync(folder)
    writeFileSync(join(bin, 'daybook'), DAYBOOK, { mode: 0o700 })
    this.#shell = spawn('sh', [], {
      cwd: work,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, TMPDIR: home, TERM: 'xterm', NO_COLOR: '1' },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#ended = new Promise(resolve => this.#shell.once('close', () => resolve()))
    this.#shell.stdin?.on('error', () => this.#kill())
    t.teardown(async () => {
      this.#kill()
      await this.#ended
    })
  }

  async run(block: string, variables: Record<string, string>): Promise<BlockRun> {
    const name = join(this.#scripts, String(++this.#blocks))
    writeFileSync(`${name}.sh`, `set -eu\n${block}\n`)
    const given = Object.entries({ ...variables, READER: `${name}.out` })
    const exports = given.map(([variable, value]) => `export ${variable}='${value}'\n`).join('')
    const done = this.#answered()
    this.#shell.stdin?.write(`${exports}. '${name}.sh' </dev/null >'${name}.out' 2>'${name}.err'\necho done >&3\n`)
    const ok = await done
    return { ok, out: readFileSync(`${name}.out`, 'utf8'), err: readFileSync(`${name}.err`, 'utf8') }
  }

  #answered(): Promise<boolean> {
    const tooLong = setTimeout(() => this.#kill(), LONGEST_MILLISECONDS)
    const said = new Promise<boolean>(resolve => (this.#shell.stdio[3] as Readable).once('data', () => resolve(true)))
    return Promise.race([said, this.#ended.then(() => false)]).finally(() => clearTimeout(tooLong))
  }

  /** With everything that it has started. */
  #kill(): void {
    const { pid } = this.#shell
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}
