import type { Logger } from 'pino'
import { createAccounts, type LedgerAccounts } from '../accounts/ledger-accounts.js'
import type { Ledger } from '../ledger/ledger.js'
import { AppError } from '../model/app-error.js'
import { ADAPTERS } from '../platforms/adapters.js'
import { listPlatforms } from '../platforms/catalogue.js'
import { DeliveryThread } from '../platforms/delivery-thread.js'
import type { HttpApp } from '../server/http-app.js'
import { createLedgerServer } from '../server/ledger-server.js'
import type { LedgerSettings } from '../settings/ledger-settings.js'
import { isLoopback } from '../settings/listen-settings.js'
import { CaptureSchedule } from './capture-schedule.js'
import { Captures } from './captures.js'
import { type Listening, listen } from './listening.js'
import { type OpenLedger, openLedger, wallClock } from './open-ledger.js'
import type { ServedProgram } from './served-together.js'
import { readVersion } from './version.js'

/** How often it is looked whether a watch is due: no interval is shorter. */
const LOOK_MS = 1_000

/** A ledger that is served. */
export interface ServedLedgerProgram extends Listening, ServedProgram {
  ledger: Ledger
  /** Path of its database. */
  database: string
  /** Whether reading needs a login: there are users or an admin token, or ever were. */
  needsLogin: boolean
  /** Where commands on this machine reach it. */
  socket: string
  /** Stops accepting, finishes what was accepted, flushes and closes. */
  close(): Promise<void>
}

/** What both programs of one process share. */
export interface Surroundings {
  logger: Logger
  requestIds: () => string
  /** Address of the board's page, once it is known. */
  boardUrl?: () => string | undefined
}

/**
 * Opens the ledger and serves it over TCP and over the owner's socket.
 *
 * @throws AppError `conflict/ledger_owned`, `configuration/address_in_use`, `configuration/settings_invalid` for an
 *   administrator that cannot be created, `configuration/ledger_open`, `unavailable/store_…`
 */
export async function serveLedger(settings: LedgerSettings, around: Surroundings): Promise<ServedLedgerProgram> {
  const { logger } = around
  const opened = await openLedger(settings, 'server')
  if (opened.copiedFrom) logger.info({ from: opened.copiedFrom }, 'copied the ledger of the older layout')
  const large = new DeliveryThread()
  const captures = new Captures(opened.ledger, wallClock)
  const { server, needsLogin } = await closingOnFailure(opened, async () => {
    const accounts = await openAccounts(settings, opened, logger)
    const isClosed = await accounts.isClosed()
    if (!isClosed) allowOpen(settings, logger)
    const parts = { opened, accounts, large, captures, ...around }
    return { server: createServer(settings, parts), needsLogin: isClosed }
  })
  let schedule: CaptureSchedule | undefined
  const close = async () => {
    await schedule?.stop()
    await server.close()
    await large.close()
    await opened.close()
  }
  opened.failed.catch(error => logger.fatal({ err: error }, 'the ledger can no longer be written'))
  try {
    await server.listenSocket(opened.socket)
    const listening = await listen(server, settings)
    await opened.ownership.announce({ address: listening.url })
    if (settings.capture) schedule = new CaptureSchedule({ captures, chat: settings.capture, logger, lookMs: LOOK_MS })
    const { database } = opened.ownership
    const { ledger, socket, failed } = opened
    return { ...listening, ledger, database, needsLogin, socket, failed, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openAccounts(
  { accounts: settings }: LedgerSettings,
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
function allowOpen({ host, allowOpen }: LedgerSettings, logger: Logger): void {
  if (isLoopback(host)) return
  if (!allowOpen) {
    const detail = `Listening on ${host} would let others read and write this ledger, which has no users.`
    throw new AppError('configuration', 'ledger_open', detail, {
      hint: 'Create one with "daybook users create", set an admin token, listen on 127.0.0.1, or say --allow-open.',
    })
  }
  logger.warn({ host }, 'others can read and write this ledger: it has no users')
}

interface ServerParts extends Surroundings {
  opened: OpenLedger
  accounts: LedgerAccounts
  large: DeliveryThread
  captures: Captures
}

function createServer(
  settings: LedgerSettings,
  { opened, accounts, large, captures, logger, requestIds, boardUrl }: ServerParts,
): HttpApp {
  const { rootPath, publicUrl, allowOpen } = settings
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
      isDemo: settings.isDemo,
    },
    logger,
    version: readVersion(),
    now: wallClock,
    requestIds,
    ...(boardUrl ? { boardUrl } : {}),
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
