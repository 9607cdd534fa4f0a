/** Runs the tests named, or all of them after installing the programs that some suites need; prints how many passed. */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import type { FileReport } from './file-report.js'
import { CHEAP_TESTS } from './support/cheap-start.js'
import { TestCluster } from './support/postgres/cluster.js'
import { findPostgres } from './support/postgres/find-postgres.js'

/** Programs that suites look for, and the Debian package that has each. Debian's PostgreSQL is not on the search path. */
const PROGRAMS = {
  initdb: 'postgresql',
  sqlite3: 'sqlite3',
  curl: 'curl',
  jq: 'jq',
  openssl: 'openssl',
  nginx: 'nginx',
  python3: 'python3',
  zsh: 'zsh',
  fish: 'fish',
  caddy: 'caddy',
  promtool: 'prometheus',
  'chromium-headless-shell': 'chromium-headless-shell',
}

const TOGETHER = fileURLToPath(new URL('./files-together.js', import.meta.url))
/** Rooms whose tests take or wait longest: first, so that all processes end at about the same time. */
const SLOW_ROOMS = ['black-box', 'browser', 'board', 'proxy', 'docs', 'store', 'commands', 'runtime', 'server', 'demo']
/** Files that one process runs at most: what a file leaves in memory slows the next ones down. */
const MOST_TOGETHER = 48
/**
 * A file that takes longer hangs: tap's own limits end no test that waits for a subtest. Long runs of one file may take
 * hours.
 */
const FILE_MS = process.env.DAYBOOK_TEST_ROUNDS === undefined ? 900_000 : 86_400_000
/** A process that has run its files and does not end by then has left something open. */
const END_MS = 60_000
/** Of what a process printed: shown when it ends without a report. */
const TAIL_CHARACTERS = 4_096

/** A folder in memory: databases flush to it without waiting for a disk. */
const MEMORY = '/dev/shm'
/** The largest tests fill some hundred mebibytes. */
const NEEDED_BYTES = 2 * 1024 ** 3

process.env.TMPDIR = temporaryFolder()
// npm would keep what it has compiled there.
process.env.NODE_DISABLE_COMPILE_CACHE = '1'

const named = process.argv.slice(2)
const needed = named.length > 0 ? [] : Object.entries(PROGRAMS)
const missing = needed.filter(([program]) => !isThere(program))
const absent = missing.filter(([program, debianPackage]) => !install(debianPackage) || !isThere(program))
for (const [program, debianPackage] of absent) {
  console.error(
    `\n*** ${program} is missing (Debian package ${debianPackage}): the suites that need it are skipped. ***\n`,
  )
}

const files = named.length > 0 ? named : everyTest()
const cluster = await startCluster(files)
const totals = { passed: 0, failed: absent.length > 0 && process.env.CI === 'true' ? 1 : 0, skipped: 0 }
/** Shown where they happen, and again at the end, as logs are long and some readers keep only their end. */
const failureTexts: string[] = []
const waiting = slowRoomsFirst(files)
// Three more than there are processors: tests wait a lot for what they started.
await Promise.all(Array.from({ length: availableParallelism() + 3 }, runWaiting))
await cluster?.remove()
// The last one is for sockets of ledgers whose paths are long.
const sockets = join(process.env.TMPDIR, `daybook-${process.getuid?.()}`)
for (const folder of ['.tap/fixtures', '.tap', sockets]) removeEmpty(folder)
const { passed, failed, skipped } = totals
if (failureTexts.length > 0) console.log(`\nFailures:\n${failureTexts.join('\n')}`)
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed === 0 ? 0 : 1

/** One server of PostgreSQL for all files that use it: to create one takes seconds. */
async function startCluster(files: readonly string[]): Promise<TestCluster | undefined> {
  const programs = findPostgres()
  const isUsed = files.some(file => /TestCluster\.shared|testedStores/.test(readFileSync(file, 'utf8')))
  if (programs === undefined || !isUsed) return undefined
  return TestCluster.share(programs)
}

/** Tests are compiled. */
function everyTest(): string[] {
  return readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.js'))
    .map(file => join('dist/test', file))
    .sort()
}

function isThere(program: string): boolean {
  if (program === 'initdb') return findPostgres() !== undefined
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

function slowRoomsFirst(files: string[]): string[] {
  const urgency = (file: string) => {
    const place = SLOW_ROOMS.indexOf(roomOf(file))
    return place === -1 ? SLOW_ROOMS.length : place
  }
  return files.toSorted((a, b) => urgency(a) - urgency(b))
}

function roomOf(file: string): string {
  return file.replace(/^dist\/test\//, '').split('/')[0] ?? ''
}

async function runWaiting(): Promise<void> {
  while (waiting.length > 0) await runTogether()
}

/** tap removes what a test has put into its fixture folder, and leaves the folder of the folders. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It was not made, or another run has files in it.
  }
}

/** Where tests have their folders, unless `TMPDIR` names another place. */
function temporaryFolder(): string {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= NEEDED_BYTES && runsPrograms(MEMORY) ? MEMORY : tmpdir()
}

/** Not in a folder that is mounted with `noexec`, as containers mount it. */
function runsPrograms(folder: string): boolean {
  const own = mkdtempSync(join(folder, 'daybook-'))
  const program = join(own, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(own, { recursive: true })
  return status === 0
}

/**
 * Runs files in one process, and prints the result of each. The process takes the next file when it has finished one, so
 * the last files of several processes end together.
 */
async function runTogether(): Promise<void> {
  const child = fork(TOGETHER, { execArgv: [...CHEAP_TESTS], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  let file = ''
  let count = 0
  let hasFailures = false
  let isOver = false
  let tail = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-TAIL_CHARACTERS)
  })
  let limit: NodeJS.Timeout | undefined
  const sendNext = () => {
    const next = count++ < MOST_TOGETHER && !isOver ? waiting.shift() : undefined
    clearTimeout(limit)
    limit = setTimeout(() => child.kill('SIGKILL'), next === undefined ? END_MS : FILE_MS)
    file = next ?? ''
    if (!isOver) child.send(file)
  }
  child.on('message', (message: FileReport | { setTimeout: number }) => {
    if (!('file' in message)) return // tap's own
    hasFailures ||= message.failures.length > 0
    isOver = message.isLast
    show(message)
    sendNext()
  })
  sendNext()
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(limit)
  if (file === '' && code === (hasFailures ? 1 : 0)) return
  const problem =
    file === '' ? 'A process did not end after its last test' : `The process of ${file} ended before it had`
  totals.failed += 1
  showFailure(`\n${tail}\n*** ${problem} (code ${code}, signal ${signal}). ***`)
}

function show({ file, passed, failures, skipped, comments, seconds }: FileReport) {
  totals.passed += passed
  totals.failed += failures.length
  totals.skipped += skipped.length
  const failed = failures.length > 0 ? `  ${failures.length} FAILED` : ''
  console.log(`${file}  ${passed} passed${failed}  ${seconds.toFixed(1)} s`)
  for (const text of [...skipped.map(name => `skipped: ${name}`), ...(failed ? comments : [])]) console.log(`  ${text}`)
  for (const { fullname, diag } of failures) showFailure(`\n  ${fullname}\n${indented(diag)}\n`)
}

function showFailure(text: string) {
  console.log(text)
  failureTexts.push(text)
}

/** tap's diagnosis has texts of several lines, as a difference. */
function indented(diag: unknown): string {
  const members = Object.entries(diag ?? {}).map(([name, value]) => {
    const text = typeof value === 'string' ? `\n${value}` : ` ${inspect(value)}`
    return `${name}:${text}`
  })
  return members.join('\n').replaceAll(/^/gm, '    ')
}
