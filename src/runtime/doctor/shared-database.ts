import { type Finding, ok } from '../../model/diagnosis.js'
import { type PostgresAddress, shownAddress } from '../../model/postgres-address.js'
import { Connection } from '../../store/postgres/connection/connection.js'

/** Whether the PostgreSQL database of the ledger accepts a login. @throws AppError as `Connection.open` */
export async function checkSharedDatabase(address: PostgresAddress): Promise<Finding[]> {
  const connection = await Connection.open(address, 'daybook doctor')
  await connection.close()
  return [
    ok(
      `The database ${shownAddress(address)} accepts the login. The check of the server shows whether it records events.`,
    ),
  ]
}
