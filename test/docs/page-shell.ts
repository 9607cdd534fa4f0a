import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { runInHost } from '../commands/command-host.js'
import { CHEAP_START } from '../support/cheap-start.js'
import { ROOT } from './pages.js'

/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000

const AT_TERMINAL = fileURLToPath(new URL('../commands/programs/at-terminal.js', import.meta.url))

/**
 * `daybook`, as a reader has it on the path. It sends its process number; the tests run the command line of that process
 * in one that has loaded the program already, and send the exit code. A command that does not end runs in its own process.
 * A redirection moves its input and outputs for a moment, so they have numbers of their own.
 * Output that the reader sees looks like a terminal to the program; a pipe or another file does not.
 */
const daybook = (answers: string) => `#!/bin/sh
case "$*" in
  consume* | *--follow*)
    script='${ROOT}/bin/run.js'
    if [ /dev/stdout -ef "$READER" ]; then script='${AT_TERMINAL}'; fi
    exec '${process.execPath}' ${CHEAP_START.join(' ')} "$script" "$@"
    ;;
esac
exec 7<&0 8>&1 9>&2
mkfifo '${answers}/'$$
echo "daybook $$" >&3
read -r code < '${answers}/'$$
exit "$code"
`

/** The result of a block. */
interface BlockRun {
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
  readonly #answers: string
  #blocks = 0
  #onDone = () => {}

  /** @param home the reader's home folder, which is there */
  constructor(t: Test, home: string) {
    const [bin, work] = [join(home, 'bin'), join(home, 'work')]
    this.#scripts = join(home, 'blocks')
    this.#answers = join(home, 'answers')
    for (const folder of [bin, work, this.#scripts, this.#answers]) mkdirSync(folder)
    writeFileSync(join(bin, 'daybook'), daybook(this.#answers), { mode: 0o700 })
    this.#shell = spawn('sh', [], {
      cwd: work,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, TMPDIR: home, TERM: 'xterm', NO_COLOR: '1' },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#ended = new Promise(resolve => this.#shell.once('close', () => resolve()))
    this.#shell.stdin?.on('error', () => this.#kill())
    createInterface(this.#shell.stdio[3] as Readable).on('line', line => {
      if (line === 'done') this.#onDone()
      else void this.#runDaybook(Number(line.replace('daybook ', '')))
    })
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
    this.#shell.stdin?.write(`${exports}. '${name}.sh' </dev/null >>'${name}.out' 2>>'${name}.err'\necho done >&3\n`)
    const ok = await done
    return { ok, out: readFileSync(`${name}.out`, 'utf8'), err: readFileSync(`${name}.err`, 'utf8') }
  }

  #answered(): Promise<boolean> {
    const tooLong = setTimeout(() => this.#kill(), LONGEST_MILLISECONDS)
    const said = new Promise<boolean>(resolve => {
      this.#onDone = () => resolve(true)
    })
    return Promise.race([said, this.#ended.then(() => false)]).finally(() => clearTimeout(tooLong))
  }

  async #runDaybook(pid: number): Promise<void> {
    const own = `/proc/${pid}`
    const texts = (name: string) => readFileSync(`${own}/${name}`, 'utf8').split('\0').slice(0, -1)
    const env = Object.fromEntries(texts('environ').map(text => text.split(/=(.*)/s) as [string, string]))
    const [, , ...argv] = texts('cmdline')
    const [input, out, err] = await Promise.all([
      readFile(`${own}/fd/7`),
      open(`${own}/fd/8`, 'a'),
      open(`${own}/fd/9`, 'a'),
    ])
    const [printed, seen] = [await out.stat(), await stat(env.READER ?? '')]
    const atTerminal = printed.ino === seen.ino && printed.dev === seen.dev
    const run = await runInHost({ argv, env, input, atTerminal, cwd: readlinkSync(`${own}/cwd`) })
    await out.writeFile(run.out)
    await err.writeFile(run.err)
    await Promise.all([out.close(), err.close()])
    await writeFile(join(this.#answers, String(pid)), `${run.code}\n`)
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
