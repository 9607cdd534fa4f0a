import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { CHEAP_START } from '../support/cheap-start.js'
import type { RunningServer } from './running-server.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const LIBRARY_CONSUMER = fileURLToPath(new URL('./programs/library-consumer.js', import.meta.url))
const PYTHON_CONSUMER = `
import json, os, random, sys, time
from daybook import Daybook
out = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(event):
    time.sleep(random.random() * 0.003)
    os.write(out, (json.dumps(event) + "\\n").encode())
Daybook(sys.argv[1]).consume("python", note, start="beginning", concurrency=3)
`

/** The command line of an instance, which appends each event to the file as a line of JSON. */
type Start = (url: string, out: string) => readonly string[]

const daybook = (...argv: string[]) => [process.execPath, ...CHEAP_START, join(ROOT, 'bin/run.js'), 'consume', ...argv]

/** Consumers by name. */
export const KINDS: Readonly<Record<string, Start>> = {
  shell: (url, out) =>
    daybook('shell', '--exec', `exec cat >> '${out}'`, '--concurrency', '3', '--from', 'beginning', '--api-url', url),
  cron: (url, out) =>
    daybook(
      'cron',
      '--exec',
      `exec cat >> '${out}'`,
      '--batch',
      '20',
      '--once',
      '--from',
      'beginning',
      '--api-url',
      url,
    ),
  python: (url, out) => ['python3', '-c', PYTHON_CONSUMER, url, out],
  typescript: (url, out) => [process.execPath, ...CHEAP_START, LIBRARY_CONSUMER, url, out],
}

export function hasPython(): boolean {
  return spawnSync('python3', ['--version']).status === 0
}

/** Time from the first event of an instance to its kill. Done events are acknowledged every second. */
const LONGEST_MS = 1_500

interface Delivered {
  dedupe_key: string
  subject_id: string
}

/** A consumer of one kind, whose instances a test starts and kills. */
export class KilledConsumer {
  kills = 0
  readonly #out: string
  readonly #delivered: Delivered[] = []
  readonly #keys = new Set<string>()
  /** Bytes of the file. */
  #read = 0
  #instance: ChildProcess | undefined

  constructor(
    private readonly t: Test,
    private readonly kind: string,
    private readonly server: () => RunningServer,
    folder: string,
  ) {
    this.#out = join(folder, `${kind}.jsonl`)
  }

  /** Complete lines so far, in the order in which they were written. */
  delivered(): readonly Delivered[] {
    if (!existsSync(this.#out)) return []
    const file = openSync(this.#out, 'r')
    const bytes = Buffer.alloc(fstatSync(file).size - this.#read)
    readSync(file, bytes, 0, bytes.length, this.#read)
    closeSync(file)
    const end = bytes.lastIndexOf('\n') + 1
    this.#read += end
    const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1)
    for (const line of lines) {
      const { dedupe_key, subject_id } = JSON.parse(line) as Delivered
      this.#delivered.push({ dedupe_key, subject_id })
      this.#keys.add(dedupe_key)
    }
    return this.#delivered
  }

  /** How many events it has received. */
  count(): number {
    this.delivered()
    return this.#keys.size
  }

  start(): ChildProcess {
    const [program = '', ...args] = KINDS[this.kind]?.(this.server().url, this.#out) ?? []
    const environment = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' }
    const instance = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH, HOME: join(this.#out, '..'), ...environment },
    })
    const ended = once(instance, 'close')
    this.t.teardown(async () => {
      instance.kill('SIGKILL')
      await ended
    })
    this.#instance = instance
    return instance
  }

  /** Kills an instance some time after its first event, and lets the next one read without waiting for the lease. */
  async killOnce(random: () => number): Promise<void> {
    const before = this.delivered().length
    for (;;) {
      const instance = this.#instance?.exitCode === null ? this.#instance : this.start()
      while (this.delivered().length === before && instance.exitCode === null) await setTimeout(10)
      await setTimeout(random() * LONGEST_MS)
      if (instance.exitCode !== null) continue
      instance.kill('SIGKILL')
      await once(instance, 'close')
      break
    }
    this.kills++
    this.#instance = undefined
    await this.server().http.post(`/api/consumers/${this.kind}/seek`, { position: 'same' })
  }

  /** Reads until every event was delivered and acknowledged: a signal may end a program before it acknowledges. */
  async finish(count: number): Promise<void> {
    while (this.count() < count || (await this.#lag()) > 0) {
      if (this.#instance?.exitCode !== null) this.start()
      await setTimeout(50)
    }
    const instance = this.#instance
    if (instance?.exitCode !== null) return
    instance.kill('SIGTERM')
    await once(instance, 'close')
  }

  /** Events that are not acknowledged. */
  async #lag(): Promise<number> {
    return (await this.server().http.get(`/api/consumers/${this.kind}`)).json<{ lag: { events: number } }>().lag.events
  }
}

/** The events in the order in which each came first. */
export function firstDeliveries(delivered: readonly Delivered[]): Delivered[] {
  return [...new Map(delivered.map(event => [event.dedupe_key, event])).values()]
}
