import type { ChildProcess } from 'node:child_process'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresAddress } from '../src/model/postgres-address.js'
import { ChildLines } from './child-lines.js'
import { endProcess, type Workspace } from './workspace.js'

const PROGRAMS = ['initdb', 'postgres', 'psql', 'pgbench']
const DEBIAN = '/usr/lib/postgresql'
const READY = { tries: 100, everyMs: 100 }

interface Account {
  uid: number
  gid: number
}

/** The folder with all programs of a PostgreSQL server, of the newest version found. */
export function findPostgres(searchPath: string): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((left, right) => Number(right) - Number(left)) : []
  const folders = [...versions.map(version => join(DEBIAN, version, 'bin')), ...searchPath.split(delimiter)]
  return folders.find(folder => folder !== '' && PROGRAMS.every(program => existsSync(join(folder, program))))
}

/** A private PostgreSQL server with default settings, reachable only through a socket in its folder. */
export class PostgresCluster {
  #server: ChildProcess | undefined

  private constructor(
    private readonly workspace: Workspace,
    private readonly programs: string,
    private readonly folder: string,
    private readonly account: Account | undefined,
  ) {}

  static async start(workspace: Workspace, programs: string): Promise<PostgresCluster> {
    const folder = workspace.topFolder()
    const account = await unprivileged(workspace)
    if (account) chownSync(folder, account.uid, account.gid)
    const cluster = new PostgresCluster(workspace, programs, folder, account)
    const data = join(folder, 'data')
    await cluster.#run('initdb', ['--pgdata', data, '--username', 'bench', '--encoding', 'UTF8', '--locale', 'C'])
    cluster.#server = workspace.start(
      join(programs, 'postgres'),
      ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=on', '-c', 'synchronous_commit=on'],
      { ...cluster.#options, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const ended = new ChildLines(cluster.#server, 'postgres').next()
    await Promise.race([ended, cluster.#untilReady()])
    return cluster
  }

  /** Address of its database, in the form that a ledger accepts. */
  get address(): string {
    return `postgres://bench@/postgres?host=${this.folder}`
  }

  /** Address of its database, for a store without a server. */
  postgresAddress(schema: string): PostgresAddress {
    return {
      hosts: [{ host: this.folder, port: 5432 }],
      database: 'postgres',
      user: 'bench',
      password: () => undefined,
      sslMode: 'disable',
      schema,
      timeoutSeconds: 20,
      poolSize: 4,
    }
  }

  /** Runs SQL. @returns what psql prints */
  sql(text: string): Promise<string> {
    return this.#run('psql', ['--quiet', '--tuples-only', '-v', 'ON_ERROR_STOP=1', '-c', text])
  }

  /** Runs pgbench scripts, a random one each time. @returns transactions a second */
  async pgbench(
    scripts: readonly string[],
    { clients, seconds }: { clients: number; seconds: number },
  ): Promise<number> {
    const paths = scripts.map((_, index) => join(this.folder, `script-${index}.sql`))
    await Promise.all(paths.map((path, index) => writeFile(path, scripts[index] ?? '')))
    const bounds = ['--client', `${clients}`, '--jobs', '2', '--time', `${seconds}`]
    const files = paths.flatMap(path => ['--file', path])
    const options = ['--no-vacuum', '--protocol', 'prepared', ...bounds, ...files]
    const printed = await this.#run('pgbench', options)
    const rate = /^tps = ([\d.]+) \(without initial connection time\)/m.exec(printed)?.[1]
    if (rate === undefined) throw new Error(`pgbench printed no rate: ${printed}`)
    return Number(rate)
  }

  async stop(): Promise<void> {
    if (this.#server) await endProcess(this.#server, 'SIGINT')
  }

  get #options() {
    const connection = { PGHOST: this.folder, PGUSER: 'bench', PGDATABASE: 'postgres' }
    return { cwd: this.folder, env: { LANG: 'C.UTF-8', PATH: this.programs, ...connection }, ...this.account }
  }

  async #untilReady(): Promise<void> {
    for (let tries = 1; ; tries++) {
      await sleep(READY.everyMs)
      try {
        await this.sql('SELECT 1')
        return
      } catch (error) {
        if (tries === READY.tries || this.workspace.isClosing) throw error
      }
    }
  }

  #run(program: string, args: readonly string[]): Promise<string> {
    return this.workspace.run(join(this.programs, program), args, this.#options)
  }
}

/** A user without rights, if this process is root: PostgreSQL refuses to run as root. */
async function unprivileged(workspace: Workspace): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (what: string) => Number(await workspace.run('id', [what, 'nobody'], {}))
  return { uid: await id('-u'), gid: await id('-g') }
}
