/** Runs every test: brings the programs that some suites need, then tap, then says how many passed. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs that suites look for, and the Debian package that has each. */
const PROGRAMS = {
  ...{ sqlite3: 'sqlite3', curl: 'curl', jq: 'jq', openssl: 'openssl' },
  'chromium-headless-shell': 'chromium-headless-shell',
}

const TAP = 'node_modules/tap/dist/esm/run.mjs'
/** What tap makes of its plugins; anew when it is told to build. */
const TAP_PLUGINS = 'node_modules/@tapjs/test/test-built/dist/esm/index.js'

/** Where a machine that is busy elsewhere can make a test fail: a browser has no clock that a test could turn. */
const BROWSER_TESTS = 'dist/test/browser/'
/** As many may be the machine's doing; more are ours. */
const MOST_SECOND_TRIES = 3

const missing = Object.entries(PROGRAMS).filter(([program]) => !isThere(program))
const absent = missing.filter(([program, debianPackage]) => !install(debianPackage) || !isThere(program))
for (const [program, debianPackage] of absent) {
  console.error(
    `\n*** ${program} is missing (Debian package ${debianPackage}): the suites that need it are skipped. ***\n`,
  )
}
// Freshly installed, tap still has the plugins that package.json turns off; it has to be built without them first.
if (!isTapBuilt()) spawnSync(process.execPath, [TAP, 'build'], { stdio: 'inherit' })
const named = process.argv.slice(2)
const { passed, failed, skipped, status } = await runTwiceIfBusy(named.length > 0 ? named : everyTest())
const skippedSuites = absent.length > 0 && process.env.CI === 'true' ? 1 : 0
console.log(`\n${passed} passed, ${failed + skippedSuites} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = status === 0 && skippedSuites === 0 ? 0 : 1

/** tap looks for tests where sources are; ours are compiled. */
function everyTest(): string[] {
  return readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.js'))
    .map(file => `dist/test/${file}`)
    .sort()
}

function isTapBuilt(): boolean {
  const { tap } = JSON.parse(readFileSync('package.json', 'utf8')) as { tap: { plugin: string[] } }
  const turnedOff = tap.plugin.flatMap(name => (name.startsWith('!') ? [`"${name.slice(1)}"`] : []))
  if (!existsSync(TAP_PLUGINS)) return false
  const built = readFileSync(TAP_PLUGINS, 'utf8')
  return turnedOff.every(plugin => !built.includes(plugin))
}

function isThere(program: string): boolean {
  return spawnSync('which', [program]).status === 0
}

function install(debianPackage: string): boolean {
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return false
  const run = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 })
  console.error(`installing ${debianPackage} …`)
  return (
    run('install', '-y', debianPackage).status === 0 ||
    (run('update').status === 0 && run('install', '-y', debianPackage).status === 0)
  )
}

interface Totals {
  passed: number
  failed: number
  skipped: number
  /** The exit code. */
  status: number
  failedFiles: string[]
}

/** A few browser tests that fail beside others are tried once more, alone, and it is said that they needed it. */
async function runTwiceIfBusy(files: string[]): Promise<Totals> {
  const first = await runTap(files)
  const { failedFiles } = first
  const mayBeBusy = failedFiles.every(file => file.startsWith(BROWSER_TESTS)) && failedFiles.length <= MOST_SECOND_TRIES
  if (first.status === 0 || failedFiles.length === 0 || !mayBeBusy) return first
  console.log(`\n*** Once more, one at a time: ${failedFiles.join(', ')} ***\n`)
  const second = await runTap(failedFiles, '--jobs=1')
  if (second.status !== 0) return { ...second, passed: first.passed, skipped: first.skipped }
  console.log('\n*** UNSTEADY: what failed above passed when it was run again. Its race is to be found. ***')
  return { ...second, passed: first.passed + first.failed, skipped: first.skipped }
}

/** tap ends with its totals on a line of their own, and leaves a list of the files that failed. */
async function runTap(files: string[], ...flags: string[]): Promise<Totals> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-tests-'))
  const list = join(folder, 'failed')
  const reporter = process.stdout.isTTY ? 'base' : 'terse'
  // Where nobody looks on, its counter would be a line in the log for every time it moves.
  const shown = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { CONTINUOUS_INTEGRATION: 'true' }
  const options = [process.env.NODE_OPTIONS ?? '', `--import=${new URL('./plain-imports.js', import.meta.url)}`]
  const tap = spawn(process.execPath, [TAP, `--reporter=${reporter}`, `--save=${list}`, ...flags, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...shown, NODE_OPTIONS: options.join(' ').trim() },
  })
  let tail = ''
  tap.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    tail = (tail + chunk.toString('utf8')).slice(-4_096)
  })
  const status = await new Promise<number>(resolve => tap.on('close', code => resolve(code ?? 1)))
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(tail)?.[1] ?? 0)
  const failed = count('fail')
  const failedFiles = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : []
  rmSync(folder, { recursive: true })
  return {
    passed: count('pass'),
    failed: status === 0 ? failed : Math.max(1, failed),
    skipped: count('skip'),
    ...{ status, failedFiles },
  }
}
