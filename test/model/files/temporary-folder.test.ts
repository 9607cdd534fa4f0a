import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeTemporaryFolder } from '../../../src/model/files/temporary-folder.js'
import { testFolder } from '../../support/test-folder.js'

t.test('a temporary folder is in TMPDIR, for this user alone', async t => {
  const parent = testFolder(t)
  useTmpdir(t, parent)
  const folder = await makeTemporaryFolder('daybook-test-')
  t.same(
    readdirSync(parent).map(name => join(parent, name)),
    [folder],
  )
  t.equal(statSync(folder).mode & 0o777, 0o700)
})

t.test('a TMPDIR that does not exist is named', async t => {
  const missing = join(testFolder(t), 'missing')
  useTmpdir(t, missing)
  await t.rejects(makeTemporaryFolder('daybook-test-'), {
    code: 'temporary_folder_unusable',
    message: `The folder for temporary files, ${missing}, cannot be used (ENOENT). Set TMPDIR to a folder that this user may read and write.`,
  })
})

function useTmpdir(t: Test, folder: string): void {
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
}
