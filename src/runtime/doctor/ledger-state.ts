import { LedgerClient } from '../../client/ledger-client.js'
import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'
import { inUnits } from '../../model/disk-space.js'
import type { FollowStatus } from '../../model/follow.js'
import { timestampOrNull } from '../../model/timestamp.js'
import { inspectLedger } from '../../store/sqlite/copy/inspect-ledger.js'
import { SCHEMA_VERSION } from '../../store/sqlite/upgrade/ledger-migrations.js'
import { whileOwned } from '../ownership.js'
import { sizeOf } from '../via-server-or-file.js'
import type { FoundOwner } from './file-owner.js'

interface LedgerState {
  findings: Finding[]
  /** `captured_at` of the newest event; null if there is none, or if it is not known. */
  head: string | null
}

const ANSWER_SECONDS = 10
/** WAL checkpoints keep the WAL smaller than this, except during a backup. */
const LARGE_WAL_BYTES = 256 * 1024 ** 2

/** The ledger's schema, its WAL and the newest event with its digest: from the server, or from the file. */
export async function checkLedger(database: string, owner: FoundOwner): Promise<LedgerState> {
  const walBytes = await sizeOfWal(database)
  const wal = judgeWal(walBytes)
  if (owner.state === 'server' && owner.record?.socket !== undefined) {
    const { findings, head } = await checkServedLedger(owner.record.socket)
    return { findings: [...findings, ...wal], head }
  }
  if ((await sizeOf(database)) === 0) {
    return { findings: [warning(`There is no ledger at ${database} yet.`, '`daybook serve` creates it.')], head: null }
  }
  if (owner.state !== 'none' || walBytes > 0) {
    const detail = 'The ledger was not opened: it may be in use, or a start has to repair it first.'
    return { findings: [ok(detail), ...wal], head: null }
  }
  return checkClosedLedger(database)
}

interface HealthAnswer {
  status: string
  detail?: string
  head: string | null
  head_digest?: string | null
  schema_version?: number
  follows?: FollowStatus
  warnings?: { code: string; detail: string }[]
}

async function checkServedLedger(socketPath: string): Promise<LedgerState> {
  const answer = await new LedgerClient({ socketPath }, { idleSeconds: ANSWER_SECONDS }).health()
  const { detail, head, head_digest, schema_version, follows, warnings = [] } = answer.json() as HealthAnswer
  // Another check reports a clock that is behind.
  const warned = warnings.filter(({ code }) => code !== 'clock_behind').map(found => warning(found.detail))
  if (answer.status === 503) {
    return { findings: [failing('temporary', detail ?? 'The ledger cannot record events.'), ...warned], head }
  }
  const does = follows ? followSentence(follows) : 'The ledger records events.'
  const sentence = `${does} ${headSentence(head, head_digest ?? null)} Schema ${schema_version}.`
  return { findings: [ok(sentence), ...warned], head }
}

/** Only reads the file. No server can open it at the same time. */
function checkClosedLedger(database: string): Promise<LedgerState> {
  return whileOwned(database, path => {
    const { schemaVersion, head: captured, digest, leader, problem } = inspectLedger(path)
    const head = timestampOrNull(captured)
    const findings: Finding[] = []
    if (problem !== null) {
      const advice = 'Run `daybook ledger verify`, and restore a backup if it confirms the damage.'
      findings.push(failing('damaged', problem, advice))
    }
    if (schemaVersion > SCHEMA_VERSION) {
      const detail = `The ledger has schema ${schemaVersion}, and this release knows ${SCHEMA_VERSION}.`
      findings.push(failing('configuration', detail, 'Use the newer release that wrote it.'))
    } else if (schemaVersion < SCHEMA_VERSION) {
      const detail = `The ledger has schema ${schemaVersion}; the next start upgrades it to ${SCHEMA_VERSION}.`
      findings.push(warning(detail, 'Make a backup first: `daybook ledger backup`.'))
    }
    const follows = leader === null ? '' : ` It follows ${leader}.`
    const sentence = `The ledger can be read.${follows} ${headSentence(head, digest)} Schema ${schemaVersion}.`
    return { findings: findings.length > 0 ? findings : [ok(sentence)], head }
  })
}

function followSentence({ leader, lag_events, lag_seconds, last_contact_at }: FollowStatus): string {
  const lag = lag_events === 0 ? 'It has all its events' : `${lag_events ?? 'An unknown number of'} events are missing`
  const contact = last_contact_at === null ? 'it has not answered yet' : `it last answered at ${last_contact_at}`
  return `The ledger follows ${leader}, ${lag_seconds} s behind. ${lag}; ${contact}.`
}

function headSentence(head: string | null, digest: string | null): string {
  if (head === null) return 'It has no events.'
  return `Its newest event is of ${head}, with ${digest === null ? 'no digest yet' : `the digest ${digest}`}.`
}

function judgeWal(bytes: number): Finding[] {
  if (bytes < LARGE_WAL_BYTES) return []
  const detail = `The write-ahead log of the ledger has ${inUnits(bytes)}.`
  return [warning(detail, 'That is normal during a backup. Otherwise look for failures of the disk in the log.')]
}

async function sizeOfWal(database: string): Promise<number> {
  // The file has no WAL of its own.
  return sizeOf(`${database}-wal`)
}
