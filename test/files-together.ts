/**
 * Runs the test files that messages name, one after the other, until a message is empty, and reports each to the process
 * that started this one. Most files need less time than Node and tap take to start, so `run.ts` gives a process many of
 * them.
 *
 * tap's root is one object for all files. While a file runs, what it asks of the root goes to a test of its own, so
 * that its folders, time limit and teardowns are its own too.
 */
import './support/no-async-hooks.js'
import './support/quick-comparisons.js'
import './support/reused-threads.js'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
// V8 compiles SQLite once for all threads of a process, as long as one of them has it.
import 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import type { Failure, FileReport } from './file-report.js'
import { endShared } from './support/process-end.js'

/** tap's own limit is 30 seconds; a file that needs more sets its own. */
const FILE_TIMEOUT_MS = 600_000
const NOT_RUN =
  'Not run: in this process a test that had ended left an error behind, such as a promise that rejected later.'
const OF_THE_FILE = ['test', 'teardown', 'before', 'beforeEach', 'afterEach', 'testdir', 'setTimeout'] as const

const { test } = t
let comments: string[] = []
t.setTimeout(0)
// Reports take the place of tap's own output, which would cost a write for each assertion.
t.pipe(new Writable({ write: (_chunk, _encoding, done) => done() }))
t.register()

process.once('disconnect', () => process.exit(1))
// Not arguments: tap would name the folders of every test after all of them.
for (;;) {
  process.channel?.ref()
  const [file] = (await once(process, 'message')) as [string]
  // A test that waits for nothing ends the process, instead of waiting for its time limit.
  process.channel?.unref()
  if (file === '') break
  const before = { ...t.counts, failures: t.lists.fail.length, skips: t.lists.skip.length }
  comments = []
  const started = performance.now()
  // An error that no test catches ends tap's root, which then takes no further file.
  const isTooLate = t.ended
  const results = isTooLate
    ? null
    : await test(file, { timeout: FILE_TIMEOUT_MS }, async own => {
        for (const name of OF_THE_FILE) redirect(name, (...args) => Reflect.apply(own[name], own, args))
        redirect('comment', (...args) => comments.push(args.join(' ')))
        await import(pathToFileURL(resolve(file)).href)
      })
  const failures = t.lists.fail.slice(before.failures).map(({ fullname, diag }): Failure => ({ fullname, diag }))
  const isFine = results?.ok === true && t.counts.total > before.total
  const diag = isTooLate ? { message: NOT_RUN } : { ...results }
  const report: FileReport = {
    file,
    passed: t.counts.pass - before.pass,
    failures: failures.length > 0 || isFine ? failures : [{ fullname: file, diag }],
    skipped: t.lists.skip.slice(before.skips).map(({ fullname, skip }) => `${fullname}: ${skip}`),
    comments,
    seconds: (performance.now() - started) / 1000,
    isLast: t.ended,
  }
  process.send?.(report)
  if (report.isLast) break
}
await endShared()

function redirect(name: keyof Test, value: (...args: unknown[]) => unknown) {
  Object.defineProperty(t, name, { value, configurable: true })
}
