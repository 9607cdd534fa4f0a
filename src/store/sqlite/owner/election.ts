import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../model/app-error.js'
import { toTimestamp } from '../../../model/timestamp.js'
import { type Claim, listElection, placeClaim, removeClaim } from './claim.js'
import { type OwnerRecord, type OwnerRole, ownerFile, readOwnerState, writeOwner } from './owner-record.js'
import { liveness, type ProcessIdentity } from './process-identity.js'
import { SilenceWatch } from './silence-watch.js'
import { answersAt, socketBeside } from './socket-path.js'

interface Candidacy {
  /** Real path of the database. */
  database: string
  self: ProcessIdentity
  role: OwnerRole
  socket: string | undefined
  /** How long to wait for a `command` to finish, in milliseconds. */
  waitMs: number
  /** How long an owner or a claim of another container or machine must stay silent before it counts as dead. */
  silenceMs: number
  now: () => number
  random: () => number
}

/** `unsure`: the owner is of another container or machine and has not been observed for long enough. */
type Standing = { state: 'vacant' | 'alive' | 'unsure'; owner: OwnerRecord | undefined }

/** The record of the winner, and of the dead owner that it replaced. */
export interface Victory {
  record: OwnerRecord
  former: OwnerRecord | undefined
}

const CLAIM_POLL_MS = 3

/**
 * Makes this process the owner of `database`, or reports the owner.
 *
 * Node has no file locks, so the election uses the atomic operations of every file system: to create, rename and unlink a
 * name. A candidate
 *
 * 1. creates its claim, a name that is never used twice;
 * 2. lists the claims. Those of dead processes it unlinks. If a living rival has a smaller nonce, it withdraws, waits a
 *    random 10 to 60 ms and begins again; while there are only larger ones, it waits for them to leave, and lists again;
 * 3. alone, it reads `<database>.owner`. If that process lives, it withdraws;
 * 4. otherwise it writes its own record there;
 * 5. and removes its claim. If the claim is gone already, it gives up what it has written and begins again.
 *
 * Never two. Suppose A and B both own the ledger, and A created its claim first. B's last listing began after B's
 * claim existed, so after A's. A name that exists throughout a listing is listed, and B saw no living rival; so by
 * then A had removed its claim (A lives, so no other process may). An owner removes its claim only after writing its
 * record, and B reads the record after its listing: B found A, alive, and withdrew.
 *
 * Never none. The living candidate with the smallest nonce does not withdraw. Those with larger nonces withdraw when
 * they see it, or, if they listed before it arrived, finish; both take bounded time.
 *
 * Death at any instruction leaves a claim, a temporary file or a record of a dead process. The first is unlinked in
 * step 2, the second by the winner in step 4 (only a winner writes one, so none of them is in use), the third is
 * replaced in step 4.
 *
 * The limit. All of this depends on knowing whether a process lives, which is exact within one pid namespace. For another
 * container or machine, silence decides (`silence-watch.ts`). A candidate that is itself delayed could count as dead, so it
 * withdraws with a claim older than a third of the silence, and checks its claim in step 5. Only a process that is stopped
 * for the whole silence between two system calls passes both, and an owner that is stopped for the whole silence is
 * replaced: both learn by their heartbeat that the record is no longer their own (`onLost`).
 *
 * @throws AppError `conflict/ledger_owned`, `unavailable/ledger_contended`
 */
export async function winElection(candidacy: Candidacy): Promise<Victory> {
  const { database, waitMs, silenceMs, random } = candidacy
  const watch = new SilenceWatch(silenceMs)
  const started = performance.now()
  for (;;) {
    const standing = await ownerStanding(candidacy, watch)
    if (standing.state === 'vacant') {
      const won = await runForOwner(candidacy, watch)
      if (won !== undefined) return won
    }
    const waitedMs = performance.now() - started
    if (standing.state === 'alive' && (standing.owner?.role === 'server' || waitedMs >= waitMs)) {
      throw ownedBy(database, standing.owner)
    }
    // Twice the silence: by then every dead claim is removed, and one that remains is of a process that is stuck.
    if (standing.state === 'vacant' && waitedMs >= waitMs + 2 * silenceMs) throw await contended(database)
    await sleep(10 + random() * 50)
  }
}

/** Steps 1 to 5; `undefined` when this candidate withdrew. */
async function runForOwner(candidacy: Candidacy, watch: SilenceWatch): Promise<Victory | undefined> {
  const { database, self, role, socket, silenceMs, now } = candidacy
  const claim: Claim = { ...self, nonce: randomBytes(8).toString('hex') }
  const claimedAt = performance.now()
  const tooOld = () => performance.now() - claimedAt > silenceMs / 3
  let victory: Victory | undefined
  await placeClaim(database, claim)
  try {
    if (!(await outlastRivals(candidacy, { claim, watch, tooOld }))) return undefined
    const { state, owner: former } = await ownerStanding(candidacy, watch)
    if (state !== 'vacant') return undefined
    for (const path of (await listElection(database)).temporaries) await rm(path, { force: true })
    if (tooOld()) return undefined
    const since = toTimestamp(now() * 1_000)
    const { files, lost } = former ?? {}
    const left = { ...(files ? { files } : {}), ...(lost ? { lost } : {}) }
    const record: OwnerRecord = { ...claim, role, ...(socket === undefined ? {} : { socket }), since, ...left }
    await writeOwner(database, record)
    victory = { record, former }
  } finally {
    if (!(await removeClaim(database, claim)) && victory !== undefined) {
      await retract(database, victory.record)
      victory = undefined
    }
  }
  return victory
}

/** Step 2. @returns whether this candidate is alone now */
async function outlastRivals(
  { database, self }: Candidacy,
  { claim, watch, tooOld }: { claim: Claim; watch: SilenceWatch; tooOld: () => boolean },
): Promise<boolean> {
  for (;;) {
    let rivals = 0
    for (const other of (await listElection(database)).claims) {
      if (other.nonce === claim.nonce) continue
      if (await isDead(other, self, watch)) await removeClaim(database, other)
      else if (other.nonce < claim.nonce) return false
      else rivals += 1
    }
    if (rivals === 0) return true
    if (tooOld()) return false
    await sleep(CLAIM_POLL_MS)
  }
}

async function isDead(claim: Claim, self: ProcessIdentity, watch: SilenceWatch): Promise<boolean> {
  const state = await liveness(claim, self)
  return state === 'dead' || (state === 'elsewhere' && watch.observe(`claim ${claim.nonce}`, '') === 'silent')
}

async function ownerStanding({ database, self }: Candidacy, watch: SilenceWatch): Promise<Standing> {
  const ownerState = await readOwnerState(database)
  if (ownerState === undefined) return { state: 'vacant', owner: undefined }
  const owner = ownerState.record
  if (owner !== undefined) {
    const state = await liveness(owner, self)
    if (state === 'dead') return { state: 'vacant', owner }
    if (state === 'alive') return { state: 'alive', owner }
  }
  // The pid does not decide: an owner of another container, or a damaged owner file. In the second case a living owner
  // notices the damage at its next heartbeat and releases the ledger, well within the silence.
  const pulse = watch.observe(`owner ${owner?.nonce}`, ownerState.fingerprint)
  if (pulse === 'beating') return { state: 'alive', owner }
  if (await answersAt(socketBeside(database))) return { state: 'alive', owner }
  if (owner?.socket !== undefined && (await answersAt(owner.socket))) return { state: 'alive', owner }
  return { state: pulse === 'silent' ? 'vacant' : 'unsure', owner }
}

async function retract(database: string, record: OwnerRecord): Promise<void> {
  if ((await readOwnerState(database))?.record?.nonce === record.nonce) await rm(ownerFile(database), { force: true })
}

function ownedBy(database: string, owner: OwnerRecord | undefined): AppError {
  const place = owner?.address === undefined ? '' : ` at ${owner.address}`
  const who = owner === undefined ? 'another process' : `process ${owner.pid} (${owner.role}${place})`
  const hint =
    owner?.role === 'command'
      ? 'Try again when it has finished.'
      : 'Use that server, stop it first, or choose another database.'
  return new AppError('conflict', 'ledger_owned', `The database ${database} is open in ${who}.`, { hint })
}

async function contended(database: string): Promise<AppError> {
  const pids = (await listElection(database)).claims.map(claim => claim.pid)
  const who = pids.length === 0 ? 'Other processes' : `Processes ${pids.join(', ')}`
  const message = `${who} are opening the database ${database} and do not finish.`
  return new AppError('unavailable', 'ledger_contended', message, {
    hint: 'Try again. If the error persists, find out why those processes do not continue.',
    retryAfterSeconds: 1,
  })
}
