import { isAbsolute, join } from 'node:path'
import { whyUnreadable } from '../model/files/regular-file.js'
import { type PostgresAddress, type PostgresHost, SSL_MODES, type SslMode } from '../model/postgres-address.js'
import { readPasswordFile } from './reading/secret-setting.js'
import type { FoundSetting, SettingReader } from './reading/setting-reader.js'

const POOL = { min: 2, max: 1_000, default: 10 }
/** Seconds. A search consists of several statements, each much shorter than the default. */
const TIMEOUT = { min: 1, max: 600, default: 20 }
const DEFAULT_PORT = 5432
/** Bytes. The server adds a suffix for the name of a channel, which may have 63; it cuts longer names of a schema. */
const LONGEST_SCHEMA = { EVENT_DB: 63 - '_events'.length, BOARD_DB: 63 - '_runs'.length }
const PARAMETERS = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'schema', 'target_session_attrs']
/** Values with which servers that accept no writes are skipped. This happens in any case. */
const WRITABLE = ['read-write', 'primary']
const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/iu
/** A line of a password file: five fields, in which a backslash precedes a colon or a backslash. */
const FIELD = /(?:\\.|[^\\:])*/gu

/**
 * The address of a ledger or board in PostgreSQL, from a URL in libpq's form: several hosts, `sslmode` and
 * `sslrootcert`. The password is in the URL, in the file that `<setting>_PASSWORD_FILE` names, or in the password file
 * of libpq (`PGPASSFILE`, else `~/.pgpass`). No error contains the URL.
 *
 * @param found undefined: only the names of the settings are read, for the documentation
 * @param of `setting`: the setting of the URL; `schema`: used unless the URL names one
 */
export function readPostgres(
  reader: SettingReader,
  found: FoundSetting | undefined,
  { setting, schema }: { setting: 'EVENT_DB' | 'BOARD_DB'; schema: string },
): PostgresAddress | undefined {
  const poolSize = reader.integer(`${setting}_POOL`, POOL)
  const timeoutSeconds = reader.integer(`${setting}_TIMEOUT`, TIMEOUT)
  const passFile = reader.find('PGPASSFILE')
  const passwordFile = `${setting}_PASSWORD_FILE`
  reader.find(passwordFile)
  if (!found) return undefined
  const refuse = (reason: string) => {
    reader.refuse(found.name, `${found.name} ${reason}.`)
    return undefined
  }
  const [, credentials = '', authority = '', path = '', search = ''] = URL_FORM.exec(found.value) ?? []
  if (!URL_FORM.test(found.value)) return refuse('is not an address such as postgres://user@host/database')
  // It would show a part of the password as the name of a host.
  if (authority.includes('@')) return refuse('has more than one @ before the host. Encode an @ of a password as %40')
  const parameters = new URLSearchParams(search)
  const unknown = [...parameters.keys()].find(name => !PARAMETERS.includes(name))
  // The rest of a password would be shown as a parameter, or belong to the name of the database.
  if (path.includes('@') || (unknown !== undefined && search.includes('@'))) {
    return refuse('has an @ after the host. Encode special characters of a password: / as %2F, ? as %3F')
  }
  if (unknown !== undefined) return refuse(`has the parameter ${unknown}; known are ${PARAMETERS.join(', ')}`)
  const [name = '', inUrl] = splitOnce(credentials, ':').map(decoded)
  const user = parameters.get('user') || name
  if (!user) return refuse('names no user')
  const database = decoded(path) || user
  const hosts = readHosts(authority, parameters)
  if (typeof hosts === 'string') return refuse(hosts)
  const sslMode = readSslMode(parameters)
  if (!SSL_MODES.includes(sslMode)) return refuse(`has an sslmode that is not one of: ${SSL_MODES.join(', ')}`)
  if (parameters.get('sslrootcert') === 'system' && sslMode !== 'verify-full') {
    return refuse('has sslrootcert=system with an sslmode that is weaker than verify-full')
  }
  const ownSchema = parameters.get('schema') || schema
  if (Buffer.byteLength(ownSchema) > LONGEST_SCHEMA[setting]) {
    return refuse(`has a schema whose name is longer than ${LONGEST_SCHEMA[setting]} bytes`)
  }
  const session = parameters.get('target_session_attrs')
  if (session && !WRITABLE.includes(session)) {
    return refuse('has a target_session_attrs other than read-write or primary, and the database is written')
  }
  if (inUrl !== undefined && found.name.startsWith('--')) {
    return refuse('has a password, which every user of this machine can see. Use EVENT_DB, or a password file')
  }
  const ofFile = readPasswordFile(reader, passwordFile)
  const lines = inUrl === undefined && ofFile === undefined ? readPassFile(reader, passFile) : []
  const certificate = readCertificate(reader, found, parameters.get('sslrootcert'))
  return {
    hosts,
    database,
    user,
    sslMode,
    schema: ownSchema,
    poolSize,
    timeoutSeconds,
    ...(certificate === undefined ? {} : { sslRootCertificate: certificate }),
    password: host => inUrl ?? ofFile ?? findPassword(lines, [hostName(host), String(host.port), database, user]),
  }
}

/**
 * What a certificate is given for is verified.
 *
 * Source: libpq, Client Verification of Server Certificates.
 */
function readSslMode(parameters: URLSearchParams): SslMode {
  const certificate = parameters.get('sslrootcert')
  const named = parameters.get('sslmode') ?? (certificate === 'system' ? 'verify-full' : 'prefer')
  return (named === 'require' && certificate ? 'verify-ca' : named) as SslMode
}

/** As in libpq, parameters take precedence over the part before the path. @returns the hosts, or the reason of a refusal */
function readHosts(authority: string, parameters: URLSearchParams): PostgresHost[] | string {
  const pairs = authority.split(',').map(text => {
    const [, ipv6, name = '', port = ''] = /^(?:\[([^\]]+)\]|([^:]*|%2F.*|\/.*))(?::(\d+))?$/iu.exec(text) ?? []
    return { name: ipv6 ?? decoded(name), port }
  })
  const names = (parameters.get('host') || undefined)?.split(',') ?? pairs.map(({ name }) => name)
  const ports = parameters.get('port')?.split(',') ?? pairs.map(({ port }) => port)
  if (ports.length !== 1 && ports.length !== names.length) {
    const those = names.length === 1 ? '1 host' : `${names.length} hosts`
    return `has ${ports.length} ports for ${those}. Give one port, or one for each host`
  }
  const hosts = names.map((host, at) => ({ host, port: Number((ports[at] ?? ports[0]) || DEFAULT_PORT) }))
  const isValid = ({ host, port }: PostgresHost) => host !== '' && Number.isInteger(port) && port >= 1 && port <= 65_535
  return hosts.every(isValid) ? hosts : 'names no host, or has a port that is not a number from 1 to 65535'
}

/** Certificates in PEM. */
function readCertificate(reader: SettingReader, found: FoundSetting, file: string | null): string | undefined {
  if (!file || file === 'system') return undefined
  try {
    return reader.sources.readTextFile(reader.path(file))
  } catch (error) {
    reader.refuse(found.name, `${found.name} has an sslrootcert that ${whyUnreadable(error).text}.`)
    return undefined
  }
}

/** Lines of libpq's password file. Like libpq, ignores a file that others can read. */
function readPassFile(reader: SettingReader, named: FoundSetting | undefined): string[][] {
  const { sources } = reader
  const path = named ? reader.path(named.value) : join(sources.homedir, '.pgpass')
  if (!isAbsolute(path)) return []
  try {
    if (sources.isOpenToOthers(path)) {
      reader.warn(`The password file "${path}" is ignored: others can read it. Run "chmod 600" on it.`)
      return []
    }
    const lines = sources.readTextFile(path).split(/\r?\n/u)
    return lines.filter(line => line !== '' && !line.startsWith('#')).map(fieldsOf)
  } catch (error) {
    const { missing, text } = whyUnreadable(error)
    if (named && !missing) reader.refuse(named.name, `${named.name} "${path}" ${text}.`)
    return []
  }
}

function fieldsOf(line: string): string[] {
  const fields: string[] = []
  let rest = line
  for (let at = 0; at < 4; at++) {
    FIELD.lastIndex = 0
    const [field = ''] = FIELD.exec(rest) ?? []
    fields.push(unescaped(field))
    rest = rest.slice(field.length + 1)
  }
  return [...fields, unescaped(rest)]
}

function findPassword(lines: readonly string[][], wanted: readonly string[]): string | undefined {
  const line = lines.find(fields => wanted.every((value, at) => fields[at] === '*' || fields[at] === value))
  return line?.[4]
}

/** The name of a server in password files, which is `localhost` for a Unix socket. */
function hostName({ host }: PostgresHost): string {
  return host.startsWith('/') ? 'localhost' : host
}

function unescaped(field: string): string {
  return field.replaceAll(/\\(.)/gu, '$1')
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a percent sign that encodes nothing
  }
}
