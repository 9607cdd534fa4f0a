import { type Finding, ok } from '../../model/diagnosis.js'
import { type PostgresAddress, shownAddress } from '../../model/postgres-address.js'
import { Connection } from '../../store/postgres/connection/connection.js'

/**
 * Whether a PostgreSQL database accepts a login.
 *
 * @param proves what shows that it can also be written
 * @throws AppError as `Connection.open`
 */
export async function checkSharedDatabase(address: PostgresAddress, proves: string): Promise<Finding[]> {
  const connection = await Connection.open(address, 'daybook doctor')
  await connection.close()
  return [ok(`The database ${shownAddress(address)} accepts the login. ${proves}`)]
}
