import { randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import { createAccounts, type LedgerAccounts } from '../accounts/ledger-accounts.js'
import { AppError } from '../model/app-error.js'
import { ADAPTERS } from '../platforms/adapters.js'
import { listPlatforms } from '../platforms/catalogue.js'
import { DeliveryThread } from '../platforms/delivery-thread.js'
import { createLedgerServer, type LedgerServer } from '../server/ledger-server.js'
import { createLogger } from '../server/logger.js'
import { isLoopback, type ServeSettings } from '../settings/serve-settings.js'
import { CaptureSchedule } from './capture-schedule.js'
import { Captures } from './captures.js'
import { type OpenLedger, openLedger, wallClock } from './open-ledger.js'
import { readVersion } from './version.js'

/** How often it is looked whether a watch is due: no interval is shorter. */
const LOOK_MS = 1_000

/** A server that answers. */
export interface RunningServer {
  /** Where the ledger is, such as `http://127.0.0.1:8765`. */
  ledger: string
  /** Path of the ledger's database. */
  database: string
  /** Whether reading needs a login: there are users or an admin token, or ever were. */
  needsLogin: boolean
  /** Where commands on this machine reach it. */
  socket: string
  /** Stops accepting, finishes what was accepted, flushes and closes. A second call waits for the first. */
  close(): Promise<void>
  /** Resolves once closed. Rejects when the server ended because it lost its ledger. */
  closed: Promise<void>
}

/**
 * Opens the ledger and serves it over TCP and over the owner's socket.
 *
 * @throws AppError `conflict/ledger_owned`, `configuration/address_in_use`, `configuration/settings_invalid` for an
 *   administrator that cannot be created, `configuration/ledger_open`, `unavailable/store_…`
 */
export async function serve(settings: ServeSettings): Promise<RunningServer> {
  const logger = createLogger({ level: settings.log.level, pretty: isPretty(settings.log.format) })
  for (const warning of settings.warnings) logger.warn(warning)
  const opened = await openLedger(settings, 'server')
  if (opened.copiedFrom) logger.info({ from: opened.copiedFrom }, 'copied the ledger of the older layout')
  const large = new DeliveryThread()
  const captures = new Captures(opened.ledger, wallClock)
  const { server, needsLogin } = await closingOnFailure(opened, async () => {
    const accounts = await openAccounts(settings, opened, logger)
    const isClosed = await accounts.isClosed()
    if (!isClosed) allowOpen(settings.ledger, logger)
    return { server: createServer(settings, { opened, accounts, large, captures, logger }), needsLogin: isClosed }
  })
  let schedule: CaptureSchedule | undefined
  const stop = async () => {
    await schedule?.stop()
    await server.close()
    await large.close()
    await opened.close()
    logger.info('closed')
  }
  let stopping: Promise<void> | undefined
  let stopped: () => void = () => {}
  const untilStopped = new Promise<void>(resolve => {
    stopped = resolve
  })
  const close = () => {
    stopping ??= stop().finally(stopped)
    return stopping
  }
  opened.failed.catch(error => logger.fatal({ err: error }, 'the ledger can no longer be written'))
  try {
    await server.listenSocket(opened.socket)
    const { address, port } = await server.listen(settings.ledger.host, settings.ledger.port)
    const ledger = `http://${isIPv6(address) ? `[${address}]` : address}:${port}${settings.ledger.rootPath}`
    await opened.ownership.announce({ address: ledger })
    logger.info({ ledger, database: opened.ownership.database, pid: process.pid }, 'serving')
    if (settings.capture) schedule = new CaptureSchedule({ captures, chat: settings.capture, logger, lookMs: LOOK_MS })
    return {
      ledger,
      database: opened.ownership.database,
      needsLogin,
      socket: opened.socket,
      close,
      closed: Promise.race([untilStopped, opened.failed]),
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openAccounts(
  { accounts: settings }: ServeSettings,
  { store }: OpenLedger,
  logger: Logger,
): Promise<LedgerAccounts> {
  const { adminToken, bootstrap, sessionTtlSeconds, maxSessions, passwordMinLength, throttleLogins } = settings
  const accounts = await createAccounts({
    users: store.users,
    adminToken,
    ...{ sessionTtlSeconds, maxSessions, passwordMinLength, throttleLogins },
    now: wallClock,
    elapsed: () => performance.now(),
  })
  if (bootstrap && (await accounts.bootstrapUser(bootstrap)) === 'created') {
    logger.info({ username: bootstrap.username }, 'created the first administrator')
  }
  return accounts
}

/** A ledger that anybody may read and write is for this machine alone, unless somebody says otherwise. */
function allowOpen({ host, allowOpen }: ServeSettings['ledger'], logger: Logger): void {
  if (isLoopback(host)) return
  if (!allowOpen) {
    const detail = `Listening on ${host} would let others read and write this ledger, which has no users.`
    throw new AppError('configuration', 'ledger_open', detail, {
      hint: 'Create one with "daybook users create", set an admin token, listen on 127.0.0.1, or say --allow-open.',
    })
  }
  logger.warn({ host }, 'others can read and write this ledger: it has no users')
}

interface ServerParts {
  opened: OpenLedger
  accounts: LedgerAccounts
  large: DeliveryThread
  captures: Captures
  logger: Logger
}

function createServer(
  settings: ServeSettings,
  { opened, accounts, large, captures, logger }: ServerParts,
): LedgerServer {
  const { rootPath, publicUrl, allowOpen } = settings.ledger
  const { secrets, requireVerified, chatSite } = settings.webhooks
  const { cookieSecure, trustedProxies, loginPage } = settings.accounts
  return createLedgerServer({
    ledger: opened.ledger,
    accounts,
    captures,
    database: { database: opened.ownership.database, engine: 'sqlite' },
    adapters: ADAPTERS,
    platforms: listPlatforms(),
    takeLargeDelivery: (adapter, delivery, rules) => large.take(adapter, delivery, rules),
    settings: {
      rootPath,
      allowOpen,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(chatSite === undefined ? {} : { chatSite }),
      webhookSecrets: secrets,
      requireVerified,
      cookieSecure,
      trustedProxies,
      loginPage,
    },
    logger,
    version: readVersion(),
    now: wallClock,
    requestIds: requestIds(),
  })
}

async function closingOnFailure<Result>(opened: OpenLedger, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await opened.close()
    throw error
  }
}

function isPretty(format: ServeSettings['log']['format']): boolean {
  return format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true)
}

function requestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36)}`
}
