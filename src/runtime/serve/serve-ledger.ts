import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createAccounts, type LedgerAccounts } from '../../accounts/ledger-accounts.js'
import { clockBehind } from '../../ledger/clock-behind.js'
import type { Ledger } from '../../ledger/ledger.js'
import { AppError } from '../../model/app-error.js'
import type { Promotion } from '../../model/follow.js'
import { ADAPTERS, listPlatforms } from '../../platforms/adapters.js'
import { LargeDeliveries } from '../../platforms/deliveries/large-deliveries.js'
import type { ListLinkedCards } from '../../server/board/linked-cards.js'
import type { ServedCaptures } from '../../server/events/capture-route.js'
import type { ServedReconciliations } from '../../server/events/reconcile-route.js'
import type { ServedFollowing } from '../../server/ledger/follow-routes.js'
import { createLedgerServer, type LedgerServer } from '../../server/ledger/ledger-server.js'
import type { LedgerSettings } from '../../settings/ledger-settings.js'
import { isLoopback } from '../../settings/listen-settings.js'
import { notFollowing } from '../../store/copy-store.js'
import { BackupSchedule } from '../backup/backup-schedule.js'
import { CaptureSchedule } from '../capture/capture-schedule.js'
import { Captures } from '../capture/captures.js'
import { LiveCapture } from '../capture/live/live-capture.js'
import { finishUpgrade } from '../finish-upgrade.js'
import { Follower } from '../follow/follower.js'
import { notAFile } from '../not-a-file.js'
import { type OpenLedger, openLedger, wallClock } from '../open-ledger.js'
import { reconcilingServer } from '../reconcile/served-reconciliations.js'
import { RetentionSchedule } from '../retention/retention-schedule.js'
import { FeedSchedule } from '../sources/feed-schedule.js'
import { elapsedMicros, jumpDetectingClock } from './jump-detecting-clock.js'
import { schedulePartitions } from './partition-schedule.js'
import { listen, readVersion, type ServedProgram, type SharedServices } from './served-program.js'
import { sqliteSizes } from './storage-sizes.js'
import { StoredTrace } from './stored-trace.js'

/** Logged once, because DNS rebinding needs a server that answers under every name. */
const ANY_HOST =
  'this ledger answers under every host name: set EVENT_PUBLIC_URL or EVENT_ALLOWED_HOSTS to its host names'
/** How often to check for due watches. No interval of a watch is shorter. */
const CHECK_MS = 1_000
/** How often to check for feeds that are due. */
const CHECK_FEEDS_MS = 30_000

/** A running ledger. */
export interface ServedLedger extends ServedProgram {
  ledger: Ledger
  /** Path of its database, or the address without its password. */
  database: string
  /** Whether reading requires a login: there are, or once were, users or an admin token. */
  needsLogin: boolean
  /** Address of the ledger that it follows. */
  follows?: string
  /** Reads events for the board of this process. */
  readLinkedEvents: LedgerServer['readLinkedEvents']
}

/** Services that the process provides to the ledger. */
interface LedgerServices extends SharedServices {
  /** Address of the board's page, once it is known. */
  boardUrl?: () => string | undefined
  /** The cards of the board, once there is one. */
  listLinkedCards?: ListLinkedCards
}

/**
 * Opens the ledger and serves it over TCP, and a ledger in a file over the owner's socket.
 *
 * @throws AppError `conflict/ledger_owned`, `configuration/address_in_use`, `configuration/settings_invalid` for an
 *   administrator that cannot be created, `configuration/ledger_open`, `unavailable/store_…`
 */
export async function serveLedger(settings: LedgerSettings, services: LedgerServices): Promise<ServedLedger> {
  const { logger } = services
  const report = (problem: unknown) => logger.error({ err: problem }, 'the open ledger is not the file on disk')
  const ownClock = jumpDetectingClock({ wall: wallClock, elapsed: elapsedMicros, logger })
  const opened = await openLedger({ ...settings, mayFollow: settings.follow !== undefined }, 'server', ownClock, report)
  const { file, clock } = opened
  if (file?.warning) logger.warn({ database: opened.database }, file.warning)
  if (file?.copiedFrom) logger.info({ from: file.copiedFrom }, 'copied the ledger of the older layout')
  for (const { id, problem } of opened.ledger.withProblems) {
    logger.warn({ subscription_id: id, problem }, 'a subscription cannot be applied')
  }
  const { unreadEvents } = opened.ledger
  if (unreadEvents)
    logger.warn({ code: unreadEvents.code, detail: unreadEvents.message }, 'the newest events cannot be read')
  const behind = clockBehind(opened.ledger.headAtOpen, clock())
  if (behind) logger.warn(behind, 'the clock is behind the ledger')
  const large = new LargeDeliveries()
  for (const leftover of file?.store.leftovers ?? [])
    logger.warn(leftover, 'rows of an older ledger were not carried over')
  const captures = new Captures(opened.ledger, clock, opened.store.multiServer)
  const reconciling = reconcilingServer(opened, {
    logger,
    now: clock,
    acceptLarge: (adapter, delivery, rules) => large.take(adapter, delivery, rules),
  })
  let live: LiveCapture | undefined
  let backups: BackupSchedule | undefined
  let retention: RetentionSchedule | undefined
  let lead = () => {}
  const { server, needsLogin, follower, trace } = await closingOnFailure(opened, async () => {
    const follower = await openFollower(settings, opened, { logger, onPromoted: () => lead() })
    const accounts = await openAccounts(settings, { ...opened, isFollower: follower !== undefined }, logger)
    const isClosed = await accounts.isClosed()
    if (!isClosed) allowOpen(settings, logger)
    else if (!knownHosts(settings)) logger.info(ANY_HOST)
    const lastBackup = () => backups?.newest
    const following = follower ?? ownLedger(opened)
    const served: ServedCaptures = {
      run: (request, call) => captures.run(request, call),
      totals: () => captures.totals(),
      live: () => live && { status: live.status(), totals: live.totals() },
    }
    const trace = new StoredTrace({
      notes: opened.store.notes,
      now: clock,
      logger,
      olderFile: file && `${opened.database}.deliveries`,
    })
    const own = { reconciliations: reconciling.served, trace, lastBackup, following }
    const parts = { opened, accounts, large, captures: served, ...own, ...services }
    return { server: createServer(settings, parts), needsLogin: isClosed, follower, trace }
  })
  let schedules: CaptureSchedule[] = []
  let feeds: FeedSchedule | undefined
  let stopPartitions = () => {}
  const close = async () => {
    try {
      stopPartitions()
      await follower?.stop()
      await live?.stop()
      await Promise.all(schedules.map(schedule => schedule.stop()))
      await reconciling.stop()
      await feeds?.stop()
      await backups?.stop()
      await retention?.stop()
      await server.close()
      await large.close()
      await trace.close()
    } finally {
      await opened.close()
    }
  }
  void file?.store.damaged.then(({ code, message }) => {
    logger.error({ code, detail: message }, 'part of the database is damaged')
  })
  opened.failed.catch(error => logger.fatal({ err: error }, 'the ledger can no longer be written'))
  try {
    if (file) await server.listenSocket(file.socket)
    const listening = await listen(server, settings)
    await file?.ownership.announce({ address: listening.url })
    if (file) await finishUpgrade(file.ownership, file.store.upgrade, logger)
    if (opened.store.multiServer) stopPartitions = schedulePartitions(opened.store.multiServer, logger)
    lead = () => {
      const { capture, captureLive, reconcile: hooks, retention: rules } = settings
      const { chat, platforms = [] } = capture ?? {}
      schedules = [...(chat ? [chat] : []), ...platforms].map(
        account => new CaptureSchedule({ captures, account, logger, checkMs: CHECK_MS }),
      )
      if (chat && captureLive) {
        const parts = {
          ledger: opened.ledger,
          captures,
          chat,
          logger,
          clock,
          leases: opened.store.multiServer,
        }
        live = new LiveCapture(parts)
      }
      if (hooks) reconciling.begin(hooks)
      const leases = opened.store.multiServer
      feeds = new FeedSchedule({ feeds: opened.ledger.feeds, logger, checkMs: CHECK_FEEDS_MS, leases })
      if (rules) {
        const parts = { ledger: opened.ledger, leases: opened.store.multiServer, logger, now: clock }
        retention = new RetentionSchedule({ settings: rules, ...parts })
      }
    }
    if (follower) follower.start()
    else lead()
    if (settings.backups && file) {
      const { copyTo } = file.store
      backups = new BackupSchedule({ settings: settings.backups, copyTo, logger, now: Date.now })
    }
    const { ledger, database, failed } = opened
    const { readLinkedEvents } = server
    const follows = follower && settings.follow ? { follows: settings.follow.leader } : {}
    return { ...listening, ledger, database, needsLogin, ...follows, readLinkedEvents, failed, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** @returns undefined for a ledger that follows no other one */
async function openFollower(
  { follow: settings }: LedgerSettings,
  { ledger, store, clock }: OpenLedger,
  services: { logger: Logger; onPromoted: () => void },
): Promise<Follower | undefined> {
  if (!settings) return undefined
  return Follower.begin({
    ...services,
    ledger,
    store,
    settings,
    now: clock,
    elapsed: () => performance.now(),
    pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
  })
}

function ownLedger({ store }: OpenLedger): ServedFollowing {
  // Read when it is needed: a database may not be reachable when the server starts.
  let found: { promotion: Promotion | null } | undefined
  return {
    status: () => undefined,
    promotion: async () => {
      found ??= await store.copies.findFollow()
      return found.promotion ?? undefined
    },
    promote: () => Promise.reject(notFollowing()),
  }
}

async function openAccounts(
  { accounts: settings }: LedgerSettings,
  { store, clock, isFollower }: OpenLedger & { isFollower: boolean },
  logger: Logger,
): Promise<LedgerAccounts> {
  const { adminToken, bootstrap, sessionTtlSeconds, maxSessions, passwordMinLength, throttleLogins } = settings
  const accounts = await createAccounts({
    users: store.users,
    storedSessions: store.multiServer?.sessions,
    loginFailures: store.multiServer?.loginFailures,
    adminToken,
    sessionTtlSeconds,
    maxSessions,
    passwordMinLength,
    throttleLogins,
    now: clock,
    elapsed: () => performance.now(),
    writeLine: entry => logger.info(entry, entry.action),
    reportLoss: error => logger.error({ err: error }, 'an entry of the account log could not be kept'),
  })
  if (bootstrap && !isFollower && (await accounts.bootstrapUser(bootstrap)) === 'created') {
    logger.info({ username: bootstrap.username }, 'created the first administrator')
  }
  return accounts
}

/** A ledger without users accepts connections only from this machine, unless `--allow-open` is given. */
function allowOpen({ host, allowOpen }: LedgerSettings, logger: Logger): void {
  if (isLoopback(host)) return
  if (!allowOpen) {
    const detail = `Listening on ${host} would let others read and write this ledger, which has no users.`
    throw new AppError('configuration', 'ledger_open', detail, {
      hint: 'Create one with "daybook users create", set an admin token, listen on 127.0.0.1, or use --allow-open.',
    })
  }
  logger.warn({ host }, 'others can read and write this ledger: it has no users')
}

/** @returns undefined if no name is configured: every name is accepted, so that an upgrade loses no delivery */
function knownHosts({ publicUrl, allowedHosts, host }: LedgerSettings): string[] | undefined {
  if (publicUrl === undefined && allowedHosts.length === 0) return undefined
  return [...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...allowedHosts, host]
}

interface ServerParts extends LedgerServices {
  opened: OpenLedger
  accounts: LedgerAccounts
  large: LargeDeliveries
  captures: ServedCaptures
  reconciliations: ServedReconciliations
  trace: StoredTrace
  lastBackup: () => number | undefined
  following: ServedFollowing
}

function createServer(
  settings: LedgerSettings,
  {
    opened,
    accounts,
    large,
    captures,
    reconciliations,
    trace,
    lastBackup,
    following,
    logger,
    accessLog,
    requestIds,
    boardUrl,
    listLinkedCards,
  }: ServerParts,
): LedgerServer {
  const { rootPath, publicUrl, allowOpen, writers, anonymousRate } = settings
  const { secrets, requireVerified, chatSite, chatFallbackSite } = settings.webhooks
  const { cookieSecure, trustedProxies, throttleLogins, loginPage } = settings.accounts
  const hosts = knownHosts(settings)
  const { file, database, engine } = opened
  const warned = file?.warning === undefined ? {} : { warning: file.warning }
  return createLedgerServer({
    ledger: opened.ledger,
    accounts,
    captures,
    reconciliations,
    trace,
    copyTo: file ? file.store.copyTo : () => Promise.reject(notAFile()),
    verify: opened.store.events.verify,
    copies: {
      readPage: range => opened.store.copies.read(range),
      readState: () => opened.store.copies.readState(),
    },
    following,
    database: { database, engine, ...warned },
    storageSizes: async () => {
      const bytes = await opened.store.multiServer?.sizeBytes()
      return bytes === undefined ? sqliteSizes(database) : { database: bytes }
    },
    lastBackup,
    restoredAt: file?.store.restoredAt,
    adapters: ADAPTERS,
    platforms: listPlatforms(),
    acceptLargeDelivery: (adapter, delivery, rules) => large.take(adapter, delivery, rules),
    settings: {
      rootPath,
      allowOpen,
      writers,
      anonymousRate,
      corsOrigins: settings.corsOrigins,
      ...(hosts ? { knownHosts: hosts } : {}),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(chatSite === undefined ? {} : { chatSite }),
      ...(chatFallbackSite === undefined ? {} : { chatFallbackSite }),
      webhookSecrets: secrets,
      requireVerified,
      cookieSecure,
      trustedProxies,
      throttleLogins,
      loginPage,
      isDemo: settings.isDemo,
    },
    logger,
    accessLog,
    version: readVersion(),
    now: opened.clock,
    requestIds,
    ...(boardUrl ? { boardUrl } : {}),
    ...(listLinkedCards ? { listLinkedCards } : {}),
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
