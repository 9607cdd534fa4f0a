/** One server of a PostgreSQL address. */
export interface PostgresHost {
  /** A name, an IP address, or the absolute path of the folder of a Unix socket. */
  host: string
  port: number
}

export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
/** As in libpq: `prefer` encrypts if the server can; only the last two prove which server it is. */
export type SslMode = (typeof SSL_MODES)[number]

/** Where a database is, and how to log in. */
export interface PostgresAddress {
  /** Tried in this order until one accepts writes. */
  hosts: readonly PostgresHost[]
  database: string
  user: string
  /** A function, so that printing the address never prints the password. Undefined: no password is configured. */
  password: (host: PostgresHost) => string | undefined
  sslMode: SslMode
  /** Certificates that prove the server, in PEM; the system's if absent. */
  sslRootCertificate?: string | undefined
  /** The schema of the tables. */
  schema: string
  /** Connections for requests. A server opens two more: one that records events and one that listens for changes. */
  poolSize: number
  /** The server ends a statement after this time. */
  timeoutSeconds: number
}

const POSTGRES = /^postgres(?:ql)?:/i

export function isPostgresUrl(text: string): boolean {
  return POSTGRES.test(text)
}

/** The address without the password, for display. */
export function shownAddress({ hosts, user, database, schema }: PostgresAddress): string {
  const servers = hosts.map(({ host, port }) => {
    return `${host.startsWith('/') ? encodeURIComponent(host) : host.includes(':') ? `[${host}]` : host}:${port}`
  })
  const base = `postgres://${encodeURIComponent(user)}@${servers.join(',')}/${encodeURIComponent(database)}`
  return schema === DEFAULT_SCHEMA ? base : `${base}?schema=${encodeURIComponent(schema)}`
}

export const DEFAULT_SCHEMA = 'daybook'
