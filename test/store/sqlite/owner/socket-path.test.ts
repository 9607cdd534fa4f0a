import { once } from 'node:events'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { answersAt, socketPath } from '../../../../src/store/sqlite/owner/socket-path.js'
import { refusalOf, shortFolder } from './owner-rig.js'

const folderName = `daybook-${process.getuid?.() ?? 'user'}`
/** A database whose own name with `.sock` is exactly `bytes` long. */
const databaseOf = (folder: string, bytes: number) =>
  join(folder, 'x'.repeat(bytes - folder.length - 1 - '.sock'.length))
const longIn = (t: Test) => {
  const folder = shortFolder(t)
  return { runtimeDir: folder, database: databaseOf(folder, 150) }
}

t.test('the socket is beside the database, up to the limit of the system', async t => {
  const folder = shortFolder(t)
  const limit = process.platform === 'linux' ? 107 : 103
  const longest = databaseOf(folder, limit)
  t.equal(await socketPath(longest, folder), `${longest}.sock`)
  const server = createServer().listen(`${longest}.sock`)
  await once(server, 'listening')
  t.ok(statSync(`${longest}.sock`).isSocket(), 'and the system takes it')
  server.close()
  t.match(
    await socketPath(databaseOf(folder, limit + 1), folder),
    new RegExp(`^${folder}/${folderName}/[0-9a-f]{32}.sock$`),
  )
})

t.test('beyond the limit, every spelling of a path has the same short name, in a private folder', async t => {
  const { runtimeDir, database } = longIn(t)
  const path = await socketPath(database, runtimeDir)
  symlinkSync(runtimeDir, join(runtimeDir, 'link'))
  t.equal(await socketPath(database.replace(runtimeDir, join(runtimeDir, 'link')), runtimeDir), path)
  t.not(await socketPath(`${database}x`, runtimeDir), path)
  t.equal(statSync(join(runtimeDir, folderName)).mode & 0o777, 0o700)
})

t.test('a folder that other users can write is refused', async t => {
  const traps: Record<string, (runtimeDir: string) => void> = {
    'a link instead of the folder': runtimeDir => {
      mkdirSync(join(runtimeDir, 'theirs'), { mode: 0o700 })
      symlinkSync('theirs', join(runtimeDir, folderName))
    },
    'a folder others may enter': runtimeDir => {
      mkdirSync(join(runtimeDir, folderName))
      chmodSync(join(runtimeDir, folderName), 0o755)
    },
    'a file': runtimeDir => writeFileSync(join(runtimeDir, folderName), ''),
    'a runtime folder in which others may rename': runtimeDir => chmodSync(runtimeDir, 0o777),
  }
  for (const [name, set] of Object.entries(traps)) {
    const { runtimeDir, database } = longIn(t)
    set(runtimeDir)
    t.equal(await refusalOf(socketPath(database, runtimeDir)), 'configuration/socket_folder_unsafe', name)
  }
})

t.test('a runtime folder that does not exist is named, if it is needed', async t => {
  const { runtimeDir, database } = longIn(t)
  const missing = join(runtimeDir, 'missing')
  t.equal(await socketPath(join(runtimeDir, 'e.db'), missing), join(runtimeDir, 'e.db.sock'))
  t.equal(await refusalOf(socketPath(database, missing)), 'configuration/temporary_folder_unusable')
})

t.test('a runtime folder in which no folder can be created is named', async t => {
  const { runtimeDir, database } = longIn(t)
  const file = join(runtimeDir, 'file')
  writeFileSync(file, '')
  await t.rejects(socketPath(database, file), {
    code: 'temporary_folder_unusable',
    message: `The folder for temporary files, ${file}, cannot be used (ENOTDIR).`,
  })
  // Even root cannot create a folder in /proc.
  if (process.platform === 'linux') {
    t.equal(await refusalOf(socketPath(database, '/proc')), 'configuration/temporary_folder_unusable')
  }
})

t.test('a runtime folder with a path that is too long is refused', async t => {
  const { runtimeDir, database } = longIn(t)
  const deep = join(runtimeDir, 'd'.repeat(100))
  mkdirSync(deep)
  t.equal(await refusalOf(socketPath(database, deep)), 'configuration/socket_path_too_long')
})

t.test('a socket without a listening process counts as unused', async t => {
  const folder = shortFolder(t)
  const path = join(folder, 's')
  t.equal(await answersAt(path), false, 'nothing there')
  const server = createServer(connection => connection.end()).listen(path)
  await once(server, 'listening')
  t.equal(await answersAt(path), true)
  t.equal(await answersAt(join(folder, 'x'.repeat(200))), false, 'too long to be a socket')
  server.close()
  await once(server, 'close')
  writeFileSync(path, 'a file')
  t.equal(await answersAt(path), false, 'not a socket')
})
