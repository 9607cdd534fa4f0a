import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Test } from 'tap'
import type { PostgresAddress } from '../../../src/model/postgres-address.js'

const run = promisify(execFile)
const USER = 'daybook'
const PORT = 5432
const WITHOUT_FLUSHING = ['fsync=off']
/** How long a server may take to accept connections: after a crash it first recovers. */
const START_MS = 120_000

const EMPTY_LEDGER = /* sql */ `
  DELETE FROM events; DELETE FROM event_keys; DELETE FROM event_marks; DELETE FROM source_marks;
  DELETE FROM source_counters; DELETE FROM kind_counters; DELETE FROM subscriptions; DELETE FROM deleted_subscriptions;
  DELETE FROM users; DELETE FROM api_tokens; DELETE FROM account_log; DELETE FROM sessions; DELETE FROM leases;
  DELETE FROM consumers; DELETE FROM dead_letters; DELETE FROM login_failures; DELETE FROM notes;
  DELETE FROM sources; DELETE FROM source_secrets;
  DELETE FROM pruned_events; DELETE FROM prunings; DELETE FROM event_changes;
  DELETE FROM meta WHERE name IN ('import', 'moved', 'chat_queue', 'missed', 'promotion');
  UPDATE meta SET value = 'false' WHERE name = 'closed';
  UPDATE subscription_version SET version = 0;
  UPDATE ledger_clock SET last_us = 0, seq = 0, digest = repeat('00', 32), marked_us = 0, marked_seq = 0,
    changes = 0, pruned_us = 0, pruned_seq = 0, state = 'open'`

const EMPTY_BOARD = /* sql */ `
  DELETE FROM cards; DELETE FROM card_history; DELETE FROM runs; DELETE FROM run_log; DELETE FROM sessions;
  DELETE FROM leases; DELETE FROM login_failures; UPDATE board SET paused = false, closed = NULL`

/** In the shared server's folder: data of a server that was never started, as a copy takes a tenth of the time of `initdb`. */
const UNUSED = 'unused'
/** The folder of the server that all test processes of a run share. */
const SHARED_FOLDER = 'DAYBOOK_TEST_POSTGRES'

/** A PostgreSQL server, reached by a socket in its folder. */
export class TestCluster {
  #server: ChildProcess | undefined
  #schemas = 0
  /** Test processes that share a server have schemas of their own. */
  readonly #prefix = `test_${randomBytes(4).toString('hex')}`
  /** Addresses of ledgers and boards that no test uses any more. */
  readonly #free = { ledger: [] as PostgresAddress[], board: [] as PostgresAddress[] }
  /** Empties used ledgers and boards: a connection that knows their tables does so in a tenth of the time of a new one. */
  #emptying: pg.Pool | undefined

  private constructor(
    private readonly programs: string,
    readonly folder: string,
    private readonly settings: readonly string[],
    /** In the name of the socket; also over TCP where the settings have `listen_addresses`. */
    readonly port: number,
  ) {}

  /** A server of its own, until the test ends. @param settings such as `fsync=on`; without, nothing is flushed to the disk */
  static async start(t: Test, programs: string, settings?: readonly string[], port?: number): Promise<TestCluster> {
    const cluster = await TestCluster.create(programs, settings, port)
    t.teardown(() => cluster.remove())
    return cluster
  }

  /** The server that all test processes of this run share, which no test may stop; without one, a server of its own. */
  static async shared(t: Test, programs: string): Promise<TestCluster> {
    const folder = process.env[SHARED_FOLDER]
    if (!folder) return TestCluster.start(t, programs)
    const cluster = new TestCluster(programs, folder, [], PORT)
    t.teardown(() => cluster.#emptying?.end())
    return cluster
  }

  /** Stops the server and deletes its folder. */
  async remove(): Promise<void> {
    await this.#emptying?.end()
    await this.stop('SIGINT')
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Starts a server, which stays until `remove`. */
  static async create(
    programs: string,
    settings: readonly string[] = WITHOUT_FLUSHING,
    port = PORT,
  ): Promise<TestCluster> {
    const cluster = await TestCluster.#inNewFolder(programs, settings, port)
    const shared = process.env[SHARED_FOLDER]
    return cluster.#start(data => (shared ? cluster.#copy(join(shared, UNUSED), data) : cluster.#initialise(data)))
  }

  /** Starts a server that the processes which this one starts share. */
  static async share(programs: string): Promise<TestCluster> {
    const cluster = await TestCluster.#inNewFolder(programs, WITHOUT_FLUSHING, PORT)
    process.env[SHARED_FOLDER] = cluster.folder
    return cluster.#start(async data => {
      await cluster.#initialise(data)
      await cluster.#copy(data, join(cluster.folder, UNUSED))
    })
  }

  async #start(prepare: (data: string) => Promise<void>): Promise<this> {
    try {
      await prepare(join(this.folder, 'data'))
      await this.launch()
      return this
    } catch (error) {
      await this.remove()
      throw error
    }
  }

  async #copy(from: string, to: string): Promise<void> {
    await run('cp', ['-a', from, to], await this.#options())
  }

  async #initialise(data: string): Promise<void> {
    const options = ['--username', USER, '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C.UTF-8']
    const initdb = join(this.programs, 'initdb')
    await run(initdb, ['--pgdata', data, ...options, '--no-sync', '--no-instructions'], await this.#options())
  }

  /** A streaming standby of another cluster, until the test ends. */
  static async standbyOf(t: Test, primary: TestCluster): Promise<TestCluster> {
    const { programs, settings, port } = primary
    const standby = await TestCluster.#inNewFolder(programs, settings, port)
    t.teardown(() => standby.remove())
    const from = ['--host', primary.folder, '--port', String(port), '--username', USER]
    const how = ['--pgdata', join(standby.folder, 'data'), '--write-recovery-conf', '--checkpoint=fast', '--no-sync']
    await run(join(programs, 'pg_basebackup'), [...from, ...how], await standby.#options())
    await standby.launch()
    return standby
  }

  static async #inNewFolder(programs: string, settings: readonly string[], port: number): Promise<TestCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-pg-'))
    await giveToServer(folder)
    return new TestCluster(programs, folder, settings, port)
  }

  /** An address with a schema that no other test uses. */
  newAddress(changes: Partial<PostgresAddress> = {}): PostgresAddress {
    return {
      hosts: [{ host: this.folder, port: this.port }],
      database: 'postgres',
      user: USER,
      password: () => undefined,
      sslMode: 'prefer',
      schema: `${this.#prefix}_${++this.#schemas}`,
      poolSize: 4,
      timeoutSeconds: 20,
      ...changes,
    }
  }

  /** The address of an empty ledger: to empty a used one is four times as fast as to create its tables. */
  emptyLedger(t: Test): Promise<PostgresAddress> {
    return this.#empty(t, this.#free.ledger, EMPTY_LEDGER)
  }

  /** The address of an empty board. */
  emptyBoard(t: Test): Promise<PostgresAddress> {
    return this.#empty(t, this.#free.board, EMPTY_BOARD)
  }

  async #empty(t: Test, free: PostgresAddress[], sql: string): Promise<PostgresAddress> {
    const used = free.pop()
    if (used) {
      this.#emptying ??= this.#newPool()
      await this.#emptying.query(`SET search_path = ${used.schema}; ${sql}`)
    }
    const address = used ?? this.newAddress()
    t.teardown(() => void free.push(address))
    return address
  }

  /** A connection that stays open, unless a test stops the server. */
  #newPool(): pg.Pool {
    const pool = new pg.Pool({ ...this.#superuser(), max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
    return pool.on('error', () => {}) // the next call connects again
  }

  #superuser(): pg.ClientConfig {
    return { host: this.folder, port: this.port, user: USER, database: 'postgres', password: () => '' }
  }

  /** Runs SQL as the superuser. */
  async sql(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.#superuser())
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** A role needs its password from now on. */
  async requirePassword(role: string): Promise<void> {
    const rules = join(this.folder, 'data', 'pg_hba.conf')
    writeFileSync(rules, `local all ${role} scram-sha-256\n${readFileSync(rules, 'utf8')}`)
    await this.sql('SELECT pg_reload_conf()')
  }

  /** The server accepts TLS as `localhost`. @returns the certificate that proves it, and one that does not */
  async useTls(): Promise<{ own: string; other: string }> {
    const make = async (name: string) => {
      const [key, certificate] = [join(this.folder, `${name}.key`), join(this.folder, `${name}.crt`)]
      const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
      await run('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate])
      for (const file of [key, certificate]) await giveToServer(file)
      return { key, certificate }
    }
    const [own, other] = [await make('own'), await make('other')]
    await this.sql(`ALTER SYSTEM SET ssl_cert_file = '${own.certificate}'`)
    await this.sql(`ALTER SYSTEM SET ssl_key_file = '${own.key}'`)
    await this.sql('ALTER SYSTEM SET ssl = on')
    await this.sql('SELECT pg_reload_conf()')
    return { own: readFileSync(own.certificate, 'utf8'), other: readFileSync(other.certificate, 'utf8') }
  }

  /** Starts the server, also again after `stop`. */
  async launch(): Promise<void> {
    const settings = [
      `port=${this.port}`,
      'unix_socket_permissions=0777',
      'max_connections=200',
      // In its folder: a server that is killed leaves what it has in /dev/shm.
      'dynamic_shared_memory_type=mmap',
      ...this.settings,
    ]
    const given = settings.flatMap(setting => ['-c', setting])
    const options = ['-D', join(this.folder, 'data'), '-k', this.folder, '-c', 'listen_addresses=', ...given]
    const server = spawn(join(this.programs, 'postgres'), options, { ...(await this.#options()), stdio: 'ignore' })
    this.#server = server
    const deadline = performance.now() + START_MS
    while (server.exitCode === null && server.signalCode === null && performance.now() < deadline) {
      try {
        const [state] = await this.sql('SELECT pg_is_in_recovery() AS standby')
        if (state?.standby === false) await this.sql('CREATE EXTENSION IF NOT EXISTS pg_trgm')
        return
      } catch {
        await sleep(50)
      }
    }
    throw new Error('PostgreSQL did not start.')
  }

  /** @param signal `SIGINT` closes all connections, `SIGKILL` is a crash */
  async stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise(resolve => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }

  async #options() {
    return {
      cwd: this.folder,
      env: { LANG: 'C.UTF-8', PATH: `${this.programs}:${process.env.PATH}` },
      ...(await unprivileged()),
    }
  }
}

/** Lets the server's account use a file or folder. */
export async function giveToServer(path: string): Promise<void> {
  const { uid, gid } = await unprivileged()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** PostgreSQL refuses to run as root: then as an account without rights. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = async (what: string) => Number((await run('id', [what, 'nobody'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
