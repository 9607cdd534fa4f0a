import { join } from 'node:path'
import type { Test } from 'tap'
import { serveHere } from '../runtime/serve/serve-here.js'
import { entry, readAll, toLines } from './entries.js'
import { type Answer, HttpClient } from './http-client.js'
import type { SmallDisk } from './mounts.js'
import { filesBeside } from './own-folder.js'
import { type RunningServer, startServer } from './running-server.js'
import { readStoredFile } from './stored-file.js'

interface ClosableServer {
  http: HttpClient
  close(): Promise<void>
}

/** A ledger on a small disk, and the keys that it acknowledged, in order. */
export class FillingLedger {
  readonly acknowledged: string[] = []
  readonly database: string
  readonly options: { database: string; home: string }
  #count = 0

  constructor(
    private readonly t: Test,
    disk: SmallDisk,
  ) {
    this.database = join(disk.folder, 'events.db')
    this.options = { database: this.database, home: join(disk.beside, 'home') }
  }

  start(): Promise<RunningServer> {
    return startServer(this.t, this.options)
  }

  async post(http: HttpClient): Promise<Answer> {
    const key = this.#newKey()
    const answer = await http.post('/api/events', entry(key))
    if (answer.status === 201) this.acknowledged.push(key)
    return answer
  }

  async postBatch(http: HttpClient): Promise<Answer> {
    const keys = Array.from({ length: 1_500 }, () => this.#newKey())
    const events = keys.map(key => entry(key))
    const answer = await http.post('/api/events', toLines(events), { type: 'application/x-ndjson' })
    if (answer.status === 200) this.acknowledged.push(...keys)
    return answer
  }

  /** Free space in the WAL may take a few more events. */
  async postUntilRefused(http: HttpClient): Promise<void> {
    let answer = await this.post(http)
    while (answer.status === 201) answer = await this.post(http)
  }

  /** A server in the process of the test, for what needs no kill and no exit code. */
  async startHere(): Promise<ClosableServer> {
    const { url, close } = await serveHere(this.t, { home: this.options.home, db: this.database, only: 'ledger' })
    const http = new HttpClient(url)
    this.t.teardown(() => http.close())
    return { http, close }
  }

  /** Stops the server, and checks the files that it leaves. */
  async stop(server: ClosableServer): Promise<void> {
    await server.close()
    this.t.same(filesBeside(this.database), [])
    const { problems, bodies } = readStoredFile(this.database)
    this.t.same(problems, [])
    this.t.equal(bodies.length, this.acknowledged.length)
  }

  #newKey(): string {
    this.#count += 1
    return `event-${this.#count}`
  }
}

export async function keysIn(http: HttpClient): Promise<string[]> {
  return (await readAll(http)).map(event => event.dedupe_key)
}
