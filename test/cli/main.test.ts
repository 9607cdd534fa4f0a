import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { CHEAP_START } from '../support/cheap-start.js'
import { testFolder } from '../support/test-folder.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MAIN = new URL('../../src/cli/main.js', import.meta.url).href
/** No account of a system has it. */
const UNKNOWN_USER = 54_321

t.test('a failure that cannot be reported ends the process', async t => {
  // As after the files of the program were replaced while it runs.
  const hooks = `export const resolve = (name, context, next) => {
    if (name.endsWith('/report.js')) throw new Error('there is no such file')
    return next(name, context)
  }`
  const program = `import { register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})
    const { main } = await import('${MAIN}')
    await main('${ROOT}', ['no-such-command'])`
  const { status, stderr } = spawnSync(process.execPath, [...CHEAP_START, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  t.equal(status, 1)
  t.match(stderr, /no-such-command[\s\S]*there is no such file/)
})

t.test('a user without an account and without HOME, as in a container, can run every command', async t => {
  if (process.getuid?.() !== 0) return t.comment('only root may start a process as another user')
  const as = { uid: UNKNOWN_USER, gid: UNKNOWN_USER, encoding: 'utf8', timeout: 30_000 } as const
  const program = `${ROOT}/bin/run.js`
  if (spawnSync('test', ['-r', program], as).status !== 0) return t.comment('other users cannot read this folder')
  const run = (env: Record<string, string>, ...argv: string[]) =>
    spawnSync(process.execPath, [...CHEAP_START, program, ...argv], { ...as, env })
  t.match(run({}, 'config'), { status: 0, stdout: /"home":"\/\.arch"/ })
  t.match(run({ HOME: '/tmp' }, '--help'), { status: 0, stdout: /^An append-only ledger/ })
  t.match(run({}, 'no-such-command'), { status: 2, stderr: /is not a command/ })
})

t.test('an empty HOME counts as none', async t => {
  const { status, stdout } = spawnSync(process.execPath, [...CHEAP_START, `${ROOT}/bin/run.js`, 'config'], {
    env: { HOME: '' },
    encoding: 'utf8',
  })
  t.equal(status, 0)
  t.match(JSON.parse(stdout), { home: /^\/.*\.arch$/ })
})

t.test('a working folder that was removed is reported', async t => {
  const program = `mkdir gone && cd gone && rmdir ../gone && exec '${process.execPath}' '${ROOT}/bin/run.js' config`
  const { status, stderr } = spawnSync('sh', ['-c', program], { cwd: testFolder(t), encoding: 'utf8' })
  t.match({ status, stderr }, { status: 78, stderr: /^The current folder no longer exists\. Change to another/ })
})

t.test(
  'a system or a Node.js that is not supported is a matter of configuration, which no restart changes',
  async t => {
    const run = (preload: string) => {
      const options = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
      const { status, stderr } = spawnSync(process.execPath, [...options, `${ROOT}/bin/run.js`, 'version'], {
        encoding: 'utf8',
      })
      return { status, stderr }
    }
    t.match(run(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })`), {
      status: 78,
      stderr: /^Daybook needs Node\.js 20\.19 or later\./,
    })
    t.match(run(`Object.defineProperty(process, 'platform', { value: 'win32' })`), {
      status: 78,
      stderr: /^Daybook runs on Linux and macOS, and not on win32/,
    })
  },
)
