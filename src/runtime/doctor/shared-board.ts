import { type Finding, ok } from '../../model/diagnosis.js'
import { type PostgresAddress, shownAddress } from '../../model/postgres-address.js'
import { Connection } from '../../store/postgres/connection/connection.js'

/**
 * Whether the database of a board accepts a login.
 *
 * @throws AppError as `Connection.open`
 */
export async function checkSharedBoard(address: PostgresAddress): Promise<Finding[]> {
  const connection = await Connection.open(address, 'daybook doctor')
  await connection.close()
  const proves = 'GET /readyz of the board shows whether it can be written.'
  return [ok(`The database ${shownAddress(address)} accepts the login. ${proves}`)]
}
