import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'
import { realDatabase } from '../../store/sqlite/owner/database-path.js'
import { type OwnerRecord, ownerFile, readOwnerState } from '../../store/sqlite/owner/owner-record.js'
import { liveness, ownIdentity } from '../../store/sqlite/owner/process-identity.js'
import { answersAt } from '../../store/sqlite/owner/socket-path.js'

/** Which process has a database open. */
export interface FoundOwner {
  /** `unclear`: the files do not show who the owner is. */
  state: 'none' | 'server' | 'command' | 'unclear'
  record?: OwnerRecord
  finding: Finding
}

/** @param noun `ledger` or `board` */
export async function findFileOwner(database: string, noun: string): Promise<FoundOwner> {
  const path = await realDatabase(database)
  const ownerState = await readOwnerState(path)
  if (!ownerState) return { state: 'none', finding: ok(`No process has the ${noun} open.`) }
  const { record } = ownerState
  if (!record) {
    const detail = `${ownerFile(path)} cannot be read as the record of an owner.`
    return { state: 'unclear', finding: warning(detail, 'If no server runs, delete it.') }
  }
  if (record.lost) {
    const detail = `The server that had the ${noun} open found other files in its place, and has ended.`
    const advice = 'See "When files of the ledger are removed or replaced" in docs/how-to/run-as-a-service.md.'
    return { state: 'unclear', finding: failing('conflict', detail, advice) }
  }
  const state = await liveness(record, await ownIdentity())
  if (state === 'dead') {
    const detail = `The last process with the ${noun} open, ${record.pid}, ended without closing it.`
    return {
      state: 'unclear',
      finding: warning(detail, 'The next start repairs that. The log shows why it ended.'),
    }
  }
  if (state === 'elsewhere') {
    const detail = `A process of another container or machine, ${record.pid} there, has the ${noun} open.`
    return { state: 'unclear', finding: ok(detail) }
  }
  if (record.role === 'command') {
    return { state: 'command', record, finding: ok(`A command, process ${record.pid}, has the ${noun} open.`) }
  }
  const server = `process ${record.pid} since ${record.since}`
  if (record.socket === undefined || !(await answersAt(record.socket))) {
    const detail = `The server of the ${noun}, ${server}, does not listen at its local socket.`
    return {
      state: 'unclear',
      finding: failing('temporary', detail, 'Restart it, unless it is starting or stopping.'),
    }
  }
  const address = record.address === undefined ? '' : ` at ${record.address}`
  return { state: 'server', record, finding: ok(`A server${address} has the ${noun} open: ${server}.`) }
}
