import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** How long a process may take to end after a request. Milliseconds. */
const END_GRACE = 10_000

/** Temporary folders and processes of a run. */
export class Workspace {
  readonly #folders: string[] = []
  readonly #children = new Set<ChildProcess>()
  #folder: string | undefined
  #count = 0
  #home: Promise<string> | undefined
  #closing: Promise<void> | undefined

  /** Whether the run is being aborted. */
  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** A new empty folder in the folder for temporary files. Its path is short, as Unix sockets require. */
  topFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
    this.#folders.push(folder)
    return folder
  }

  /** A new empty folder. */
  async folder(name: string): Promise<string> {
    this.#folder ??= this.topFolder()
    const folder = join(this.#folder, `${name}-${++this.#count}`)
    await mkdir(folder)
    return folder
  }

  /** A home folder for the programs that are measured, the same for all of them. */
  home(): Promise<string> {
    this.#home ??= this.folder('home')
    return this.#home
  }

  start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    if (this.isClosing) throw new Error('The run is being given up.')
    const child = spawn(command, args, options)
    this.#children.add(child)
    const forget = () => this.#children.delete(child)
    child.once('exit', forget)
    child.once('error', forget)
    return child
  }

  /** Runs a program to its end. @returns its output @throws if it fails, with the end of its output */
  async run(command: string, args: readonly string[], options: SpawnOptions): Promise<string> {
    const child = this.start(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const printed = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed.stderr += text
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (code === 0) return printed.stdout
    throw new Error(`${basename(command)} ended with ${signal ?? code}. ${printed.stderr.slice(-2_000).trim()}`)
  }

  /** Ends every process and removes every folder. A second call waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Like `close`, but synchronous, for a process that exits. */
  abandon(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#children].map(child => endProcess(child)))
    this.abandon()
  }
}

/** Asks a process to end, and kills it if necessary. Resolves when it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const impatience = setTimeout(() => child.kill('SIGKILL'), END_GRACE)
  await ended
  clearTimeout(impatience)
}
