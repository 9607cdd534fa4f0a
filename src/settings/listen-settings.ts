import { isIP } from 'node:net'
import { parseUrl } from '../model/parse-url.js'
import type { GivenFlag, SettingReader } from './reading/setting-reader.js'

/** The address at which one of the two programs listens. */
export interface ListenSettings {
  host: string
  /** 0 picks a free port. */
  port: number
  /** Prefix of every path: empty, or `/x`. */
  rootPath: string
}

interface ListenFlags {
  host?: GivenFlag | undefined
  port: GivenFlag
  rootPath: GivenFlag
}

const LOOPBACK = '127.0.0.1'
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?$/
const MOST_HOSTS = 100
const MOST_ORIGINS = 100
const ROOT_PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/

/** Whether only this machine can reach a listener on that host. Names except localhost may resolve to any address. */
export function isLoopback(host: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(host) || host === '::1' || host.toLowerCase() === 'localhost'
}

export function readListen(
  reader: SettingReader,
  prefix: 'EVENT' | 'BOARD',
  port: number,
  given: ListenFlags,
): ListenSettings {
  return {
    host: reader.text(`${prefix}_HOST`, acceptHost, 'is not a host name or an IP address', given.host) ?? LOOPBACK,
    port: reader.integer(`${prefix}_PORT`, { min: 0, max: 65_535, default: port }, given.port),
    rootPath: readRootPath(reader, prefix, given.rootPath),
  }
}

/** Prefix of every path: empty, or `/x`. */
export function readRootPath(reader: SettingReader, prefix: 'EVENT' | 'BOARD', given?: GivenFlag): string {
  const allowed = 'is not a path like /ledger: a slash, then letters, digits, ".", "_", "~" or "-"'
  return reader.text(`${prefix}_ROOT_PATH`, acceptRootPath, allowed, given) ?? ''
}

/** The public origin behind a proxy, such as `https://ledger.example.org`. */
export function readPublicUrl(reader: SettingReader): string | undefined {
  return reader.text('EVENT_PUBLIC_URL', acceptOrigin, 'is not an http or https address without a path')
}

/** Further host names of the ledger; that of `EVENT_PUBLIC_URL` is always included. */
export function readAllowedHosts(reader: SettingReader): readonly string[] {
  const allowed = 'is not a list of host names and IP addresses, with commas and without ports'
  return reader.text('EVENT_ALLOWED_HOSTS', acceptHosts, allowed) ?? []
}

/** Origins whose pages may call the ledger's API with a token. */
export function readCorsOrigins(reader: SettingReader): readonly string[] {
  const allowed = 'is not a list of http or https addresses without paths, with commas; "*" is not supported'
  return reader.text('EVENT_CORS_ORIGINS', acceptOrigins, allowed) ?? []
}

function acceptOrigins(text: string): string[] | undefined {
  const origins = text.split(',').map(origin => acceptOrigin(origin.trim()))
  if (text.includes('*') || origins.length > MOST_ORIGINS || origins.includes(undefined)) return undefined
  return origins.filter(origin => origin !== undefined)
}

function acceptHosts(text: string): string[] | undefined {
  const hosts = text.split(',').map(host => acceptHost(host.trim()))
  return hosts.length > MOST_HOSTS || hosts.includes(undefined) ? undefined : hosts.filter(host => host !== undefined)
}

function acceptHost(text: string): string | undefined {
  const address = /^\[(.*)\]$/.exec(text)?.[1] ?? text
  return isIP(address) !== 0 || HOST_NAME.test(text) ? address : undefined
}

function acceptRootPath(text: string): string | undefined {
  const hasDotSegment = text.split('/').some(segment => segment === '.' || segment === '..')
  return ROOT_PATH.test(text) && !hasDotSegment ? text : undefined
}

function acceptOrigin(text: string): string | undefined {
  const url = parseUrl(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined
  return url.pathname === '/' && !url.search && !url.hash ? url.origin : undefined
}

/** Whether others on the network can read requests to this address. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/u, '$1'))
}
