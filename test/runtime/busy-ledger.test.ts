import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exitCodeOf } from '../../src/cli/exit-codes.js'
import { AppError } from '../../src/model/app-error.js'
import { capture } from '../../src/runtime/capture/capture-command.js'
import { acquireOwnership } from '../../src/store/sqlite/owner/database-lock.js'

const REQUEST = {
  subscription_id: 'deploys',
  backfill: 100,
  chat: { site: 'https://chat.example.org', email: 'bot@example.org', api_key: 'k' },
}

t.test('capture retries later if another process owns the ledger for too long', async t => {
  const folder = t.testdir()
  const attempts = (['command', 'server'] as const).map(async role => {
    const path = join(folder, `${role}.db`)
    writeFileSync(path, 'Nobody looks inside.')
    const given = { now: Date.now, random: Math.random, onLost: () => undefined }
    const owner = await acquireOwnership({ database: path, role, waitMs: 0, ...given })
    t.teardown(() => owner.release())
    const database = { path, isDefault: false, legacyPath: '' }
    const error = await capture({ home: folder, database, upgradeCopy: true }, REQUEST, () => undefined).catch(
      (error: unknown) => error,
    )
    t.match(error, {
      category: 'unavailable',
      code: 'ledger_busy',
      message: new RegExp(`is open in process .*${role}`),
    })
    t.ok(error instanceof AppError && exitCodeOf(error) === 75)
  })
  await Promise.all(attempts)
})
