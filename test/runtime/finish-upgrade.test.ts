import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { finishUpgrade } from '../../src/runtime/finish-upgrade.js'
import { testFolder } from '../support/test-folder.js'

const FILES = ['events.db', 'events.db-wal', 'events.db.schema-9', 'events.db.schema-10.part', 'other.db.schema-9']

function start(t: Parameters<typeof testFolder>[0]) {
  const folder = testFolder(t, Object.fromEntries(FILES.map(name => [name, ''])))
  const database = join(folder, 'events.db')
  const logged: string[] = []
  const log = (_: unknown, message?: string) => void logged.push(String(message))
  const logger = { info: log, warn: log }
  return { database, folder, logger, logged, files: () => readdirSync(folder).sort() }
}

t.test('copies from before an upgrade stay during the first start, and are removed by the next one', async t => {
  const { database, logger, logged, files } = start(t)
  await finishUpgrade({ database, isTakeover: false }, { from: 9, to: 10, copy: `${database}.schema-9` }, logger)
  t.same(files(), [...FILES].sort())
  await finishUpgrade({ database, isTakeover: false }, undefined, logger)
  t.same(files(), ['events.db', 'events.db-wal', 'other.db.schema-9'])
  await finishUpgrade({ database, isTakeover: false }, undefined, logger)
  t.same(logged, ['upgraded the schema of the database', 'removed the copy from before the upgrade'])
})

t.test('copies from before an upgrade stay after a server that did not close the database', async t => {
  const { database, logger, files } = start(t)
  await finishUpgrade({ database, isTakeover: true }, undefined, logger)
  t.same(files(), [...FILES].sort())
})

t.test('a copy that cannot be removed does not prevent the start', async t => {
  const { folder, logger, logged } = start(t)
  writeFileSync(join(folder, 'file'), '')
  await finishUpgrade({ database: join(folder, 'file', 'events.db'), isTakeover: false }, undefined, logger)
  t.same(logged, ['the copy from before the upgrade cannot be removed'])
})
