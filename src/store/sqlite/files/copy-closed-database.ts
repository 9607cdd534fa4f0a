import { Database } from './database.js'

/**
 * Copies a database that this process owns and nobody has open, whatever is in it: a backup need not know the schema.
 *
 * @param noun as messages have it
 * @throws as `Database.copyTo`
 */
export async function copyClosedDatabase(path: string, to: string, noun: string): Promise<void> {
  const database = new Database(path, { noun, refuseForeign: () => {} })
  try {
    await database.copyTo(to)
  } finally {
    database.close()
  }
}
