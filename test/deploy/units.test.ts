import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { flagNames, loadCommands } from '../docs/loaded-commands.js'
import { firstCodes, readReference } from '../docs/reference-page.js'
import { testFolder } from '../support/test-folder.js'
import { DEPLOY, deployedFiles, readDeployed } from './deploy-files.js'

/** The exposure level of `systemd-analyze security`, from 0 (safe) to 10. */
const MOST_EXPOSED = 3
const UNITS = ['daybook.service', 'daybook-backup.service']

function skipWithout(program: string): { skip: string | false } {
  return { skip: spawnSync('which', [program]).status === 0 ? false : `SKIPPED: ${program} is not installed` }
}

for (const unit of UNITS) {
  t.test(`${unit} is hardened`, skipWithout('systemd-analyze'), async t => {
    const file = join(DEPLOY, 'systemd', unit)
    const args = ['security', '--offline=true', '--no-pager', file]
    const report = execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const [, exposure] = /exposure level for \S+: (\d+\.\d)/.exec(report) ?? []
    t.ok(Number(exposure) <= MOST_EXPOSED, `its exposure is ${exposure}`)
  })

  t.test(`${unit} does not restrict what the server needs`, async t => {
    const text = readDeployed(`systemd/${unit}`)
    // The owner record contains the boot id, and a process that reads another boot id treats the owner as dead.
    t.notMatch(text, /^ProcSubset=/m)
    t.notMatch(text, /^MemoryDenyWriteExecute=/m)
    t.match(text, /^UMask=0077$/m)
  })
}

t.test('systemd accepts every line of the units', skipWithout('systemd-analyze'), async t => {
  const folder = testFolder(t)
  const files = [...UNITS, 'daybook-backup.timer'].map(unit => {
    const file = join(folder, unit)
    writeFileSync(file, readDeployed(`systemd/${unit}`).replaceAll('/opt/daybook/bin/daybook', '/bin/true'))
    return file
  })
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  t.notMatch(stderr, /daybook/)
})

t.test('the user and the folders are created as the units expect them', skipWithout('systemd-tmpfiles'), async t => {
  if (process.getuid?.() !== 0) return t.comment('only root may create users')
  const root = testFolder(t)
  for (const folder of ['etc', 'var/lib', 'var/cache', 'var/backups'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['passwd', 'group', 'shadow', 'gshadow']) writeFileSync(join(root, 'etc', file), '')
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, [`--root=${root}`, ...args], { encoding: 'utf8' })
  t.match(run('systemd-sysusers', join(DEPLOY, 'systemd/sysusers.conf')), { status: 0 })
  t.match(run('systemd-tmpfiles', '--create', join(DEPLOY, 'systemd/tmpfiles.conf')), { status: 0 })
  const modeOf = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8)
  t.same(['etc/daybook', 'etc/daybook/secrets', 'var/lib/daybook', 'var/backups/daybook'].map(modeOf), [
    ...['750', '700', '700', '700'],
  ])
  t.equal(statSync(join(root, 'var/lib/daybook')).uid, statSync(join(root, 'etc/daybook/secrets')).uid)
  t.not(statSync(join(root, 'var/lib/daybook')).uid, 0)
})

t.test('every setting and every command in the files exists', async t => {
  const settings = firstCodes(readReference('settings').sections.flatMap(({ tables }) => tables))
  const commands = await loadCommands()
  const checked = { settings: 0, commands: 0, flags: 0 }
  for (const file of deployedFiles().filter(path => !path.startsWith('monitoring'))) {
    const text = readDeployed(file)
    for (const [name] of text.matchAll(/\b(?:EVENT|BOARD|ARCH)_[A-Z_]+\b/g)) {
      t.ok(settings.includes(name), `${name} in ${file}`)
      checked.settings++
    }
    for (const [, line = ''] of text.matchAll(/(?:exec|bin\/|`)daybook ([a-z][^`\n']*)/g)) {
      const words = line.split(' ')
      const found = [3, 2, 1].map(count => commands.get(words.slice(0, count).join(' '))).find(Boolean)
      if (!t.ok(found, `daybook ${line} in ${file}`) || !found) continue
      const flags = words.filter(word => word.startsWith('--')).map(word => word.slice(2))
      for (const flag of flags) t.ok(flagNames(found).includes(flag), `--${flag} in ${file}`)
      checked.commands++
      checked.flags += flags.length
    }
  }
  t.ok(checked.settings > 9 && checked.commands > 2 && checked.flags > 0, JSON.stringify(checked))
})

t.test('the container runs as its own user, with volumes and a health check', async t => {
  const lines = readDeployed('container/Containerfile').replaceAll('\\\n', ' ').split('\n')
  const instruction = (name: string) => lines.filter(line => line.startsWith(`${name} `)).at(-1) ?? ''
  t.equal(instruction('USER'), 'USER daybook')
  t.match(instruction('VOLUME'), /"\/var\/lib\/daybook"/)
  t.match(instruction('HEALTHCHECK'), /CMD \["daybook", "api", "health"\]$/)
  const [, node] = /^ARG NODE=(\d+)$/m.exec(lines.join('\n')) ?? []
  t.ok(Number(node) >= 20)
})
