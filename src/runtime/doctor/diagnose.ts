import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CheckedFinding, CheckName, Diagnosis, Finding } from '../../model/diagnosis.js'
import { failing, ok, warning } from '../../model/diagnosis.js'
import type { DoctorSettings } from '../../settings/doctor-settings.js'
import { boardFiles } from '../open-board.js'
import { wallClock } from '../open-ledger.js'
import { readVersion } from '../serve/served-program.js'
import { checkBackups } from './backups.js'
import { checkChatAccount } from './chat-account.js'
import { checkClock } from './clock.js'
import { checkDefinedSources } from './defined-sources.js'
import { checkDisks } from './disk-space.js'
import { findingsOf } from './failed-check.js'
import { type FoundOwner, findFileOwner } from './file-owner.js'
import { checkFileRights, findKeptFiles, type UsedPath } from './file-rights.js'
import { checkLedger } from './ledger-state.js'
import { checkNode } from './node-version.js'
import { checkPostgresBoard, checkPostgresLedger, checkPostgresWatches, checkReplica } from './postgres.js'
import { checkBoard, checkServer } from './servers.js'
import { checkWatches } from './watches.js'
import { checkWebhookSecrets } from './webhook-secrets.js'

/** Runs every check that the settings allow. Changes nothing. */
export async function diagnose(settings: DoctorSettings): Promise<Diagnosis> {
  const version = readVersion()
  const checks: CheckedFinding[] = []
  const add = (check: CheckName, findings: readonly Finding[]) =>
    void checks.push(...findings.map(finding => ({ check, ...finding })))
  const { home = '', database = home, postgres, replica, boardHome, boardPostgres, backups } = settings
  const cards = boardHome === undefined || boardPostgres ? undefined : boardFiles(boardHome).cards

  add('node', checkNode({ version: process.versions.node, platform: process.platform }))
  add('settings', settingsFindings(settings))
  add('files', await findingsOf(database, () => filesFindings(settings)))
  const folders = [settings.database === undefined ? home : dirname(database), boardHome, backups?.folder].filter(
    folder => folder !== undefined,
  )
  if (home !== '') add('disk', await findingsOf(home, () => checkDisks(folders)))

  const ledgerOwner = await ownerOf(settings.database, 'ledger')
  const boardOwner = await ownerOf(cards, 'board')
  for (const owner of [ledgerOwner, boardOwner]) if (owner) add('owner', [owner.finding])
  let head: string | null = null
  if (settings.database !== undefined && ledgerOwner) {
    const found = async () => {
      const state = await checkLedger(database, ledgerOwner)
      head = state.head
      return state.findings
    }
    add('ledger', await findingsOf(database, found))
  }
  const written = [fileURLToPath(new URL('../../../../package.json', import.meta.url))]
  const inPostgres = postgres && (await findingsOf('', () => checkPostgresLedger(postgres, wallClock())))
  if (inPostgres) add('ledger', inPostgres)
  if (postgres && replica && worstOf(inPostgres ?? []) !== 'fail')
    add('ledger', await findingsOf('', () => checkReplica(replica, postgres)))
  if (boardPostgres) add('board', await findingsOf('', () => checkPostgresBoard(boardPostgres)))
  add('clock', await findingsOf(written[0] ?? '', () => checkClock(wallClock(), head, written)))
  // A ledger in PostgreSQL is backed up with its programs.
  if (backups !== undefined && !postgres) {
    add('backups', await findingsOf(backups?.folder ?? '', () => checkBackups(backups ?? undefined, Date.now())))
  }
  if (settings.webhooks) add('webhooks', checkWebhookSecrets(settings.webhooks))
  const socket = ledgerOwner?.state === 'server' ? ledgerOwner.record?.socket : undefined
  if (socket !== undefined) {
    add('webhooks', await findingsOf('', () => checkDefinedSources(socket)))
    add('watches', await findingsOf('', () => checkWatches(socket, wallClock())))
  }
  if (postgres && worstOf(inPostgres ?? []) !== 'fail') {
    add('watches', await findingsOf('', () => checkPostgresWatches(postgres, wallClock())))
  }
  const { chat, server, board } = settings
  const [chatFindings, serverFindings, boardFindings] = await Promise.all([
    chat === undefined ? [] : findingsOf('', () => checkChatAccount(chat ?? undefined)),
    server ? findingsOf('', () => checkServer(server, version, expected(ledgerOwner, server))) : [],
    board ? findingsOf('', () => checkBoard(board, expected(boardOwner, board))) : [],
  ])
  add('chat', chatFindings)
  add('server', serverFindings)
  add('board', boardFindings)
  return { state: worstOf(checks), version, checks }
}

function expected(owner: FoundOwner | undefined, { isConfigured }: { isConfigured: boolean }) {
  return { owner, isConfigured }
}

function settingsFindings({ problems, warnings, environmentFile }: DoctorSettings): Finding[] {
  const found = [
    ...problems.map(({ detail }) => failing('configuration', detail)),
    ...warnings.map(sentence => warning(sentence)),
  ]
  return found.length > 0
    ? found
    : [ok(`All settings are valid. Shared ones are read from ${environmentFile}, if it exists.`)]
}

async function filesFindings({
  home,
  database,
  boardHome,
  boardPostgres,
  backups,
}: DoctorSettings): Promise<Finding[]> {
  const paths: UsedPath[] = []
  const add = (kind: UsedPath['kind'], ...added: (string | undefined)[]) => {
    for (const path of added) if (path !== undefined) paths.push({ path, kind })
  }
  add('folder', home, database === undefined ? undefined : dirname(database), boardHome, backups?.folder)
  if (database !== undefined) add('file', database, `${database}-wal`)
  const board = boardHome === undefined ? undefined : boardFiles(boardHome)
  const boardDatabases = boardPostgres ? [] : [board?.cards, board?.sessions]
  add('file', ...boardDatabases, board?.backends)
  const databases = [database, ...boardDatabases].filter(path => path !== undefined)
  return [...(await checkFileRights(paths, process.geteuid?.())), ...(await findKeptFiles(databases))]
}

/** A record that cannot be read is a finding of its own. */
async function ownerOf(database: string | undefined, noun: string): Promise<FoundOwner | undefined> {
  if (database === undefined) return undefined
  let owner: FoundOwner | undefined
  const [failed] = await findingsOf(database, async () => {
    owner = await findFileOwner(database, noun)
    return []
  })
  return failed ? { state: 'unclear', finding: failed } : owner
}

function worstOf(checks: readonly Finding[]): Diagnosis['state'] {
  if (checks.some(({ state }) => state === 'fail')) return 'fail'
  return checks.some(({ state }) => state === 'warn') ? 'warn' : 'ok'
}
