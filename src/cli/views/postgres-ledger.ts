import type { LedgerMigration } from '../../model/ledger-migration.js'
import { toTerminalLine } from '../terminal/text.js'

export function migratedText(migrated: LedgerMigration): string {
  const { database, from_version, schema_version, partitions, granted_to } = migrated
  const isSame = from_version === schema_version
  const schema = isSame ? `has schema ${schema_version} already` : `has schema ${schema_version} now`
  const lines = [`The ledger ${toTerminalLine(database)} ${schema}.`]
  if (partitions.length > 0) lines.push(`New partitions: ${partitions.join(', ')}.`)
  if (granted_to !== null) lines.push(`The role ${toTerminalLine(granted_to)} may use the tables.`)
  return lines.join('\n')
}
