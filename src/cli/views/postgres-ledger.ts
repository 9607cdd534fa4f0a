import { counted } from '../../model/counted.js'
import type { LedgerCopied } from '../../model/ledger-copy.js'
import type { LedgerMigration } from '../../model/ledger-migration.js'
import { toTerminalLine } from '../terminal/text.js'

export function migratedText(migrated: LedgerMigration): string {
  const { database, from_version, schema_version, partitions, granted_to, epoch } = migrated
  const isSame = from_version === schema_version
  const schema = isSame ? `has schema ${schema_version} already` : `has schema ${schema_version} now`
  const lines = [`The ledger ${toTerminalLine(database)} ${schema}.`]
  if (partitions.length > 0) lines.push(`New partitions: ${partitions.join(', ')}.`)
  if (granted_to !== null) lines.push(`The role ${toTerminalLine(granted_to)} may use the tables.`)
  if (epoch !== null) lines.push(`Its new epoch is ${epoch}. All logins to the ledger have ended.`)
  return lines.join('\n')
}

export function copiedText(copied: LedgerCopied): string {
  const { from, to, events, subscriptions, users, tokens, consumers, sources, head, head_digest, epoch } = copied
  const accounts = [counted(subscriptions, 'subscription'), counted(users, 'user'), counted(tokens, 'token')]
  const others = [...accounts, counted(consumers, 'consumer')].join(', ')
  const lines = [
    `Copied ${counted(events, 'event')}, ${others} and ${counted(sources, 'source')}; both ledgers are the same.`,
    `  from    ${toTerminalLine(from)}, which accepts no changes any more`,
    `  to      ${toTerminalLine(to)}`,
    ...(head === null ? [] : [`  head    ${head}`, `  digest  ${head_digest ?? 'none'}`]),
    `  epoch   ${epoch}`,
    `Set EVENT_DB to the new place, and start the servers.`,
  ]
  return lines.join('\n')
}
