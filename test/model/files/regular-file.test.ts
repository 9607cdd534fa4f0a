import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readRegularFile } from '../../../src/model/files/regular-file.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { problemsOf } from '../../settings/refusal.js'

t.test('the text of a file is read up to the limit, even if the file system reports another size', async t => {
  const folder = t.testdir({ small: 'Grüße\n', large: 'x'.repeat(200_000) })
  t.equal(readRegularFile(join(folder, 'small'), 8), 'Grüße\n')
  t.throws(() => readRegularFile(join(folder, 'small'), 7), { code: 'TOO_LARGE' })
  t.equal(readRegularFile(join(folder, 'large'), 200_000).length, 200_000)
  t.match(readRegularFile('/proc/self/status', 65_536), /^Name:/)
})

t.test('a device, a pipe, a folder and a link to one of them are not read', async t => {
  const folder = t.testdir()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('/dev/zero', join(folder, 'link'))
  mkdirSync(join(folder, 'folder'))
  for (const path of ['/dev/zero', '/dev/tty', join(folder, 'pipe'), join(folder, 'link')]) {
    t.throws(() => readRegularFile(path, 10), { code: 'NOT_A_FILE' }, path)
  }
  t.throws(() => readRegularFile(join(folder, 'folder'), 10), { code: 'EISDIR' })
  t.throws(() => readRegularFile(join(folder, 'none'), 10), { code: 'ENOENT' })
})

t.test('every file that a setting names is read with these limits', async t => {
  const folder = t.testdir()
  const endless = join(folder, 'endless')
  const large = join(folder, 'large')
  symlinkSync('/dev/zero', endless)
  writeFileSync(large, `A=${'x'.repeat(1024 * 1024)}`)
  const refused = (env: Record<string, string>, ...names: string[]) => {
    const sources = { ...processSources(), env: { ARCH_ENV_FILE: join(folder, 'none'), ...env }, homedir: folder }
    const problems = problemsOf(() => readServeSettings({ capture: true }, sources))
    return names.map(name => problems.find(({ field }) => field === name)?.detail)
  }
  t.match(refused({ ARCH_ENV_FILE: endless }, 'ARCH_ENV_FILE'), [/"\S+endless" is a device or a pipe, not a file\./])
  t.match(refused({ ARCH_ENV_FILE: large }, 'ARCH_ENV_FILE'), [/is larger than 1 MiB/])
  const files = ['EVENT_ADMIN_TOKEN_FILE', 'EVENT_BOOTSTRAP_PASSWORD_FILE', 'BOARD_EXECUTOR_TOKEN_FILE', 'ZULIP_CONFIG']
  const device = /is a device or a pipe/
  t.match(refused(Object.fromEntries(files.map(name => [name, endless])), ...files), [device, device, device, device])
})
