import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { FieldProblem } from '../../../src/model/app-error.js'
import { watchBoardSecrets } from '../../../src/settings/board/watch-secrets.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'

const KEY = 'key-0123456789-abcdefgh'
const OTHER = 'other-0123456789-abcdef'

/** A folder with real files, and secrets that are watched in it. */
function watchIn(t: Test, env: Record<string, string>, files: Record<string, string>) {
  const folder = t.testdir(files)
  const inFolder = (name: string) => join(folder, name)
  const named = Object.entries(env).map(([name, value]) => [name, value.replace('FOLDER', folder)])
  const reported: (readonly FieldProblem[])[] = []
  const reads: string[] = []
  const clock = { now: Date.now() }
  const sources = processSources()
  const secrets = watchBoardSecrets(
    {
      ...sources,
      env: { ARCH_ENV_FILE: inFolder('environment'), ...Object.fromEntries(named) },
      readTextFile: path => {
        reads.push(path)
        return sources.readTextFile(path)
      },
    },
    { now: () => clock.now, report: problems => reported.push(problems) },
  )
  return { secrets, inFolder, reported, reads, clock }
}

t.test('a changed secret takes effect immediately, regardless of how its file is replaced', async t => {
  const { secrets, inFolder } = watchIn(t, { BOARD_API_KEY_FILE: 'FOLDER/key' }, { environment: '', key: KEY })
  t.same(await secrets(), { apiKey: KEY })
  const path = inFolder('key')
  writeFileSync(path, OTHER)
  t.same(await secrets(), { apiKey: OTHER }, 'written over')
  writeFileSync(path, KEY)
  t.same(await secrets(), { apiKey: KEY }, 'with the same length, in the same moment')
  writeFileSync(inFolder('new'), OTHER)
  renameSync(inFolder('new'), path)
  t.same(await secrets(), { apiKey: OTHER }, 'put in place')
  const old = new Date(0)
  writeFileSync(path, KEY)
  utimesSync(path, old, old)
  t.same(await secrets(), { apiKey: KEY }, 'with the time of an older one')
  mkdirSync(inFolder('v2'))
  writeFileSync(inFolder('v2/key'), OTHER)
  rmSync(path)
  symlinkSync('v2/key', path)
  t.same(await secrets(), { apiKey: OTHER }, 'behind a link')
  writeFileSync(inFolder('v2/key'), KEY)
  t.same(await secrets(), { apiKey: KEY }, 'and changed there')
})

t.test('the shared environment is watched, and so are the files that it names', async t => {
  const { secrets, inFolder } = watchIn(t, {}, { environment: `BOARD_AUTH_SECRET=${KEY}\n`, key: OTHER })
  t.same(await secrets(), { authSecret: KEY })
  const path = inFolder('environment')
  writeFileSync(path, `BOARD_PASSWORD='a password'\nBOARD_API_KEY_FILE=${inFolder('key')}\n`)
  t.same(await secrets(), { password: 'a password', apiKey: OTHER })
  writeFileSync(inFolder('key'), KEY)
  t.same(await secrets(), { password: 'a password', apiKey: KEY })
  writeFileSync(path, '')
  t.same(await secrets(), {})
})

t.test('a variable of the process takes precedence over the shared environment', async t => {
  const { secrets, inFolder } = watchIn(t, { BOARD_AUTH_SECRET: KEY }, { environment: `BOARD_AUTH_SECRET=${OTHER}\n` })
  t.same(await secrets(), { authSecret: KEY })
  writeFileSync(inFolder('environment'), 'BOARD_AUTH_SECRET=third-0123456789-xyz\n')
  t.same(await secrets(), { authSecret: KEY })
})

t.test('unchanged files are checked, and not read again', async t => {
  const watched = watchIn(t, { BOARD_API_KEY_FILE: 'FOLDER/key' }, { environment: '', key: KEY })
  const { secrets, reads, clock, inFolder } = watched
  clock.now += 60_000
  await secrets()
  const before = reads.length
  for (let i = 0; i < 100; i++) t.same(await secrets(), { apiKey: KEY })
  t.equal(reads.length, before)
  writeFileSync(inFolder('key'), OTHER)
  t.same(await secrets(), { apiKey: OTHER })
})

t.test('an unusable file gives no secret, is reported once, and is used again once it is valid', async t => {
  const { secrets, inFolder, reported } = watchIn(
    t,
    { BOARD_API_KEY_FILE: 'FOLDER/key', BOARD_PASSWORD: 'a password' },
    { environment: '', key: KEY },
  )
  const path = inFolder('key')
  const spoilt: [name: string, make: () => void][] = [
    ['missing', () => undefined],
    ['empty', () => writeFileSync(path, '')],
    ['two words', () => writeFileSync(path, 'two words')],
    ['a link that leads nowhere', () => symlinkSync('nowhere', path)],
    ['a link to itself', () => symlinkSync('key', path)],
    ['a folder', () => mkdirSync(path)],
    ['bytes', () => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00]))],
    ['large', () => writeFileSync(path, 'x'.repeat(100_000))],
  ]
  for (const [name, make] of spoilt) {
    rmSync(path)
    make()
    const before = reported.length
    for (let i = 0; i < 3; i++) t.same(await secrets(), { password: 'a password' }, name)
    t.equal(reported.length, before + 1, `${name}: reported once`)
    t.match(reported.at(-1), [{ field: /^BOARD_API_KEY/ }])
    rmSync(path, { recursive: true, force: true })
    writeFileSync(path, KEY)
    t.same(await secrets(), { apiKey: KEY, password: 'a password' }, `${name}: and mended`)
  }
  t.notMatch(JSON.stringify(reported), /a password|two words|0123456789/)
})

t.test('a shared environment that cannot be read disables its own secrets, and no others', async t => {
  const { secrets, inFolder, reported } = watchIn(
    t,
    { BOARD_PASSWORD: 'a password' },
    { environment: `BOARD_API_KEY=${KEY}\n` },
  )
  const path = inFolder('environment')
  t.same(await secrets(), { apiKey: KEY, password: 'a password' })
  writeFileSync(path, `BOARD_API_KEY=${KEY}\nBOARD_AUTH_SEC`)
  t.same(await secrets(), { password: 'a password' }, 'half of it is there')
  t.match(reported, [[{ field: 'ARCH_ENV_FILE', detail: /line 2/ }]])
  rmSync(path)
  t.same(await secrets(), { password: 'a password' })
  writeFileSync(path, `BOARD_API_KEY=${KEY}\n`)
  t.same(await secrets(), { apiKey: KEY, password: 'a password' })
})

t.test('an executor token that becomes equal to the key is ignored', async t => {
  const { secrets, inFolder, reported } = watchIn(
    t,
    { BOARD_API_KEY: KEY, BOARD_EXECUTOR_TOKEN_FILE: 'FOLDER/token' },
    { environment: '', token: OTHER },
  )
  t.same(await secrets(), { apiKey: KEY, executorToken: OTHER })
  writeFileSync(inFolder('token'), KEY)
  t.same(await secrets(), { apiKey: KEY })
  t.match(reported, [[{ field: 'BOARD_EXECUTOR_TOKEN' }]])
})

t.test('a file that is no longer reachable gives no secret', async t => {
  const { secrets, inFolder } = watchIn(
    t,
    { BOARD_API_KEY_FILE: 'FOLDER/inner/key' },
    { environment: '', inner: { key: KEY } as unknown as string },
  )
  t.same(await secrets(), { apiKey: KEY })
  renameSync(inFolder('inner'), inFolder('aside'))
  // A circular link cannot be followed, not even by root.
  symlinkSync('inner', inFolder('inner'))
  t.same(await secrets(), {})
  rmSync(inFolder('inner'))
  renameSync(inFolder('aside'), inFolder('inner'))
  t.same(await secrets(), { apiKey: KEY })
})
