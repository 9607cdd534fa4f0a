import type { Logger } from 'pino'
import type { Ownership } from '../store/sqlite/owner/database-lock.js'
import type { Upgrade } from '../store/sqlite/upgrade/migrate.js'
import { removeUpgradeCopies } from '../store/sqlite/upgrade/upgrade-copy.js'

/**
 * Reports that this start has upgraded a database. Otherwise removes the copy made before an earlier upgrade, unless
 * the last server ended without closing the database: a release that fails after its upgrade must not remove the copy
 * for going back.
 *
 * Call it when the server answers.
 *
 * Source: docs/decisions/0057.
 */
export async function finishUpgrade(
  { database, isTakeover }: Pick<Ownership, 'database' | 'isTakeover'>,
  upgrade: Upgrade | undefined,
  logger: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  if (upgrade) {
    logger.info({ database, ...upgrade }, 'upgraded the schema of the database')
    return
  }
  if (isTakeover) return
  try {
    const removed = await removeUpgradeCopies(database)
    if (removed.length > 0) logger.info({ removed }, 'removed the copy from before the upgrade')
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    logger.warn({ err: error }, 'the copy from before the upgrade cannot be removed')
  }
}
