import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eraseInLedger } from '../../src/runtime/erase-events.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { ownFolder } from '../black-box/own-folder.js'
import { problem } from '../client/stand-in.js'
import { memorySources } from '../settings/memory-sources.js'
import { broken, standInOwner } from './stand-in-owner.js'

t.test('an erasure with an unknown outcome is not repeated', async t => {
  const database = join(ownFolder(t), 'events.db')
  writeFileSync(database, 'x')
  const { arrived } = await standInOwner(t, database, () =>
    arrived.length === 1 ? broken : problem(409, 'already_erased'),
  )
  const settings = readLocalSettings({ db: database }, memorySources({ env: {} }))
  const erasing = eraseInLedger(settings, { reason: 'request 4', dedupe_key: 'chat:1' }, () => {})
  await t.rejects(erasing, { category: 'unavailable', code: 'outcome_unknown', message: /Run the same command again/ })
  t.equal(arrived.length, 1)
})
