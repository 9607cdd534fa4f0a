import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import type { PostgresAddress, PostgresHost } from '../../../model/postgres-address.js'
import { isOfServer, readOnly, stateOf, toStoreError } from './store-error.js'

/** A row as the driver gives it: integers as numbers where these are exact, booleans, and everything else as text. */
export type Row = Readonly<Record<string, unknown>>
/** What a connection is for. The statements of an upgrade may take any time; the server limits all others too. */
export type Access = 'read' | 'write' | 'upgrade'
export type Value = string | number | boolean | Buffer | null
export type Statement = readonly [sql: string, ...values: Value[]]

const CONNECT_MS = 5_000
const CLOSE_MS = 2_000
/**
 * For a network that hangs without closing: after its time limit multiplied by this factor, an unanswered statement
 * fails, and its connection is closed.
 */
const UNANSWERED = 1.25
/** Longer than the largest group takes. A server that was suspended in a transaction must not block the others. */
const IDLE_IN_TRANSACTION_MS = 10_000
const LOCK_MS = 10_000

const SNAPSHOT = /* sql */ `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`

const INTEGER_OIDS = [20, 21, 23]
const BOOLEAN_OID = 16

/** Never the driver's `Date`: it drops microseconds. */
const TYPES = {
  getTypeParser: (oid: number): ((text: string) => unknown) => {
    if (INTEGER_OIDS.includes(oid)) return toInteger
    return oid === BOOLEAN_OID ? text => text === 't' : text => text
  },
}

/** A text where a number would not be exact. */
function toInteger(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/**
 * One connection. Statements that are sent without waiting run in order, and share packets. A statement that is sent
 * often has a name, so that the server parses it once.
 */
export class Connection {
  #isBroken = false
  readonly #names = new Map<string, string>()
  /** Called with the channel's payload of each notification. */
  onNotification: (payload: string) => void = () => {}
  /** Called when the connection is lost. */
  onEnd: () => void = () => {}

  private constructor(private readonly client: pg.Client) {
    client.on('error', () => this.#end()) // the statement in progress reports it
    client.on('end', () => this.#end())
    client.on('notification', ({ payload }) => this.onNotification(payload ?? ''))
  }

  /**
   * Connects to the first host that accepts writes, or connections at all; before all others, to the one that the last
   * connection was to. So an old primary that starts again after a failover does not receive a part of the connections.
   *
   * @param name shown in `pg_stat_activity`
   * @param access `read`: a standby will do
   * @throws AppError `unavailable/store_…`
   */
  static async open(address: PostgresAddress, name: string, access: Access = 'write'): Promise<Connection> {
    let failure: { error: unknown; host: PostgresHost } | undefined
    const last = lastOpened.get(address.hosts)
    for (const host of last ? [last, ...address.hosts.filter(each => each !== last)] : address.hosts) {
      try {
        const connection = await openAt(address, host, { name, access }, client => new Connection(client))
        lastOpened.set(address.hosts, host)
        return connection
      } catch (error) {
        // The error of a server that refuses the login is more informative than that of one that does not answer.
        if (failure === undefined || isOfServer(error)) failure = { error, host }
      }
    }
    throw failure && toStoreError(failure.error, placeOf(address, failure.host))
  }

  /** It must not be used again. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Id of the backend process, for cancelling its statement. */
  get processId(): number {
    return Number(Reflect.get(this.client, 'processID'))
  }

  /** A statement that is sent often. @throws AppError `unavailable/…` */
  run(sql: string, ...values: Value[]): Promise<Row[]> {
    let name = this.#names.get(sql)
    if (name === undefined) {
      name = `s${this.#names.size}`
      this.#names.set(sql, name)
    }
    return this.#query({ name, text: sql, values })
  }

  /** A statement whose best plan depends on its values. @throws AppError `unavailable/…` */
  runOnce(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#query({ text: sql, values: [...values] })
  }

  /** Sends statements together, and waits for all of them. @throws AppError `unavailable/…` */
  async runAll(statements: readonly Statement[]): Promise<void> {
    await this.together(() => allSettled(...statements.map(([sql, ...values]) => this.run(sql, ...values))))
  }

  /** Sends the statements of a function in one packet. The driver alone would send one packet for each. */
  together<Result>(send: () => Result): Result {
    const { stream } = this.client.connection
    stream.cork()
    try {
      return send()
    } finally {
      stream.uncork()
    }
  }

  /** Several statements without values. */
  async script(sql: string): Promise<void> {
    await this.#query({ text: sql })
  }

  /**
   * Runs work in a transaction, which is rolled back if the work fails.
   *
   * @param finish returns the last statements, which are sent together with COMMIT: if one of them fails, the database
   *   rolls back. All of them exist before the first is sent, so a failure in this process cannot commit a part of them
   * @throws as the work and the last statements; AppError `unavailable/…`
   */
  async transaction<Result>(
    work: (connection: this) => Promise<Result>,
    finish: (result: Result) => readonly Statement[] = () => [],
  ): Promise<Result> {
    const [begun, working] = this.together(() => [this.run('BEGIN'), work(this)] as const)
    begun.catch(() => undefined) // reported below
    try {
      const result = await working
      // Without a transaction, each of the last statements would commit alone.
      await begun
      const last = finish(result)
      await this.together(() => allSettled(this.runAll(last), this.run('COMMIT')))
      return result
    } catch (error) {
      await this.rollBack()
      throw error
    }
  }

  /** Runs reads in a transaction that sees one state of the database. @throws as the work; AppError `unavailable/…` */
  snapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.transaction(async () => {
      const [, result] = await allSettled<[Row[], Result]>(this.run(SNAPSHOT), work())
      return result
    })
  }

  /** Ends the transaction. A connection that cannot do that is broken. */
  async rollBack(): Promise<void> {
    if (!this.#isBroken) await this.run('ROLLBACK').catch(() => this.destroy())
  }

  /** Closes the connection immediately; statements in progress fail. */
  destroy(): void {
    this.#end()
    this.client.connection.stream.destroy()
  }

  /** Waits for statements in progress, then closes the connection, also if the other side does not. */
  async close(): Promise<void> {
    this.onEnd = () => {}
    if (this.#isBroken) return
    this.#isBroken = true
    await end(this.client)
  }

  async #query(query: { name?: string; text: string; values?: Value[] }): Promise<Row[]> {
    try {
      const { rows } = await this.client.query(query)
      return rows as Row[]
    } catch (error) {
      if (stateOf(error) === undefined || stateOf(error)?.startsWith('57P')) this.destroy()
      throw toStoreError(error)
    }
  }

  #end(): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.onEnd()
  }
}

/** Waits for all promises, even if one fails: none may still be in progress when a connection is released. */
export async function allSettled<Results extends readonly unknown[]>(
  ...promises: { [At in keyof Results]: Promise<Results[At]> }
): Promise<Results> {
  const settled = await Promise.allSettled(promises)
  const failed = settled.find(outcome => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return settled.map(outcome => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as Results
}

/** Of each list of hosts. Pools of an address share its list. */
const lastOpened = new WeakMap<readonly PostgresHost[], PostgresHost>()

function placeOf({ database, user }: PostgresAddress, { host, port }: PostgresHost): string {
  return `${host}:${port}, database "${database}", role "${user}"`
}

async function openAt<Opened>(
  address: PostgresAddress,
  host: PostgresHost,
  { name, access }: { name: string; access: Access },
  toOpened: (client: pg.Client) => Opened,
): Promise<Opened> {
  const { sslMode } = address
  const isLocal = host.host.startsWith('/')
  const withTls = !isLocal && sslMode !== 'disable'
  const client = await connect(address, host, { name, access, tls: withTls }).catch(error => {
    const hasNone = error instanceof Error && /does not support SSL/i.test(error.message)
    if (!hasNone || sslMode !== 'prefer') throw error
    return connect(address, host, { name, access, tls: false })
  })
  const opened = toOpened(client)
  try {
    await client.query(sessionSql(address))
    const { rows } = await client.query(`SELECT current_setting('transaction_read_only') AS read_only`)
    if (access !== 'read' && rows[0]?.read_only === 'on') throw readOnly(placeOf(address, host))
    return opened
  } catch (error) {
    await end(client)
    throw error
  }
}

/** How long a statement waits for a lock. */
export function lockMs({ timeoutSeconds }: Pick<PostgresAddress, 'timeoutSeconds'>): number {
  return Math.min(LOCK_MS, timeoutSeconds * 1_000)
}

/** The driver waits for the other side, which may hang. */
async function end(client: pg.Client): Promise<void> {
  const waiting = setTimeout(() => client.connection.stream.destroy(), CLOSE_MS)
  await client.end().catch(() => undefined) // the other side may be gone
  clearTimeout(waiting)
}

async function connect(
  address: PostgresAddress,
  { host, port }: PostgresHost,
  { name, access, tls }: { name: string; access: Access; tls: boolean },
): Promise<pg.Client> {
  const { user, database } = address
  const statementMs = address.timeoutSeconds * 1_000
  const client = new pg.Client({
    host,
    port,
    user,
    database,
    // A function, even without a password: otherwise the driver looks into the environment and the home folder.
    password: () => address.password({ host, port }) ?? '',
    ssl: tls ? tlsOptions(address, host) : false,
    types: TYPES,
    pipeline: true,
    keepAlive: true,
    application_name: name,
    connectionTimeoutMillis: Math.min(CONNECT_MS, statementMs),
    query_timeout: access === 'upgrade' ? 0 : statementMs * UNANSWERED,
  })
  // A server may end the connection in the same packet that accepts it; without a listener that would end the process.
  client.on('error', () => undefined) // the next statement fails
  try {
    await client.connect()
    return client
  } catch (error) {
    await end(client)
    throw error
  }
}

function tlsOptions({ sslMode, sslRootCertificate }: PostgresAddress, host: string): ConnectionOptions {
  const proves = sslMode === 'verify-ca' || sslMode === 'verify-full'
  return {
    rejectUnauthorized: proves,
    ...(sslRootCertificate === undefined ? {} : { ca: sslRootCertificate }),
    // A name is sent to the server; an IP address must not be. The certificate must contain the one or the other.
    ...(isIP(host) ? { host } : { host, servername: host }),
    ...(sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

function sessionSql({ schema, timeoutSeconds }: PostgresAddress): string {
  const statementMs = timeoutSeconds * 1_000
  const settings = {
    search_path: quoted(schema),
    statement_timeout: statementMs,
    lock_timeout: lockMs({ timeoutSeconds }),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    client_min_messages: 'warning',
    default_transaction_isolation: `'read committed'`,
    // A role or a database may have other values, with which values have other forms.
    array_nulls: 'on',
    bytea_output: 'hex',
    extra_float_digits: 1,
    // Compiling a plan takes longer than most slices of a search.
    jit: 'off',
    // PostgreSQL keeps the plan of a statement that is sent often until it analyses the tables. A plan for nearly empty
    // tables reads them completely, but a new ledger may have 100,000 events a minute later. All large tables have an
    // index.
    enable_seqscan: 'off',
  }
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}

/** An identifier in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
