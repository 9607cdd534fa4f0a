import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { saveProfiles } from '../../../src/cli/input/save-profiles.js'
import { makeFolder, makeFolderNow } from '../../../src/model/files/make-folder.js'
import { testFolder } from '../../support/test-folder.js'

const WAYS = { makeFolder, makeFolderNow: async (folder: string) => makeFolderNow(folder) }

for (const [name, make] of Object.entries(WAYS)) {
  t.test(`${name} creates a folder and its parents, for this user only`, async t => {
    const above = join(testFolder(t), 'above')
    await make(join(above, 'folder'))
    await make(join(above, 'folder'))
    for (const made of [above, join(above, 'folder')]) t.equal(statSync(made).mode & 0o777, 0o700)
  })

  t.test(`${name} reports a place where no folder can be created`, async t => {
    const folder = testFolder(t)
    writeFileSync(join(folder, 'file'), '')
    for (const place of ['/proc/nowhere/folder', join(folder, 'file', 'folder')]) {
      await t.rejects(make(place), { code: /ENOENT|ENOTDIR/ }, place)
    }
  })
}

t.test('profiles in a place where no folder can be created are refused', async t => {
  const profile = { profiles: { work: { api_url: 'http://127.0.0.1:8765', token: 'secret' } } }
  t.throws(() => saveProfiles({ path: '/proc/nowhere/daybook/profiles.json', ...profile }), { code: 'file_unwritable' })
})
