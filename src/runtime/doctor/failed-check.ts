import { AppError } from '../../model/app-error.js'
import { type Fault, type Finding, failing } from '../../model/diagnosis.js'
import { toFileError } from '../../store/sqlite/files/file-error.js'

const UNREACHABLE = ['server_unreachable', 'not_a_ledger', 'not_a_board', 'chat_unreachable', 'chat_answer_unreadable']

/**
 * Runs a check. An expected failure, or a failure of the file system, is a finding too, so that it does not end the
 * other checks.
 *
 * @param path what the check is about, for failures of the file system
 */
export async function findingsOf(path: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (thrown) {
    const error = toFileError(thrown, path)
    if (error instanceof AppError) return [failedCheck(error)]
    throw thrown
  }
}

function failedCheck(error: AppError): Finding {
  const place = error.operatorDetail === undefined ? '' : ` (${error.operatorDetail})`
  return failing(faultOf(error), `${error.message}${place}`)
}

function faultOf({ category, code }: AppError): Fault {
  if (code === 'store_corrupt') return 'damaged'
  if (UNREACHABLE.includes(code)) return 'unreachable'
  if (category === 'unauthenticated' || category === 'forbidden') return 'refused'
  if (category === 'configuration' || category === 'misdirected' || category === 'invalid') return 'configuration'
  return category === 'conflict' ? 'conflict' : 'temporary'
}
