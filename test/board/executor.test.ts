import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { RunLog } from '../../src/board/run-log.js'
import { AppError } from '../../src/model/app-error.js'
import { type LogPiece, RUN_LIMITS, type RunState } from '../../src/model/board/run.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'
import { ADA } from './actor.js'
import { CARD, createExecutor, shell } from './executor-rig.js'

t.test('a dry run shows what would run, and starts nothing', async t => {
  const { executor, folder } = await createExecutor(t, {
    settings: { command: shell('touch started'), timeoutSeconds: 7 },
  })
  const run = await executor.start(CARD.id, 'dry_run', ADA)
  t.match(run, {
    card_id: CARD.id,
    mode: 'dry_run',
    state: 'done',
    reason: null,
    exit_code: null,
    timeout_seconds: 7,
    started_at: run.created_at,
    finished_at: run.created_at,
    plan: { command: shell('touch started'), folder, timeout_seconds: 7 },
  })
  t.same(run.plan?.environment, ['PATH', 'DAYBOOK_RUN_ID', 'DAYBOOK_CARD_ID', 'DAYBOOK_RUN_MARKER'])
  t.same(await executor.get(run.id), run)
  t.notOk(existsSync(folder))
})

t.test('a dry run also reports a missing command', async t => {
  const { executor } = await createExecutor(t)
  t.match((await executor.start(CARD.id, 'dry_run', ADA)).plan, { command: null })
  t.match(await executor.status(), { real: false, paused: false, running: null, queued: 0 })
  await t.rejects(executor.start(CARD.id, 'real', ADA), { category: 'conflict', code: 'executor_not_configured' })
})

t.test('a mock run goes through its states and writes a log, and starts nothing', async t => {
  const { executor, over, text, folder } = await createExecutor(t, { settings: { command: shell('touch started') } })
  const run = await executor.start(CARD.id, 'mock', ADA)
  t.equal(run.state, 'queued')
  await until(async () => (await executor.get(run.id)).state !== 'queued')
  const done = await over(run)
  t.match(done, { state: 'done', exit_code: 0, signal: null, reason: null, plan: null })
  t.ok(done.started_at && done.finished_at && done.created_at < done.started_at && done.started_at < done.finished_at)
  t.equal(await text(run), 'This is a mock run: nothing is started.\nStep 1 of 3.\nStep 2 of 3.\nStep 3 of 3.\n')
  t.notOk(existsSync(folder))
})

t.test('a run needs an existing card, and fails if the card is deleted while the run waits', async t => {
  let isThere = true
  const { executor, over, text } = await createExecutor(t, {
    findCard: async () => (isThere ? CARD : undefined),
    settings: { command: shell('true') },
  })
  await executor.pause()
  const run = await executor.start(CARD.id, 'real', ADA)
  isThere = false
  await t.rejects(executor.start(CARD.id, 'dry_run', ADA), { category: 'not_found', code: 'not_found' })
  await executor.resume()
  t.match(await over(run), { state: 'failed', reason: 'not_started', started_at: null, exit_code: null })
  t.match(await text(run), /card was deleted/)
})

t.test('a real run receives the card on its input and the listed environment variables', async t => {
  const { executor, over, text, folder } = await createExecutor(t, {
    settings: {
      // The shell adds the first three; the others come from the test runner, which changes `spawn`.
      command: shell(
        'cat; pwd; env -0 | grep -zv -e ^PWD= -e ^SHLVL= -e ^_= -e ^NODE_OPTIONS= -e ^_TAPJS_ | sort -z | tr "\\0" "\\n"',
      ),
      environment: { PATH: '/usr/bin:/bin', NAME: 'a b' },
    },
  })
  const done = await over(await executor.start(CARD.id, 'real', ADA))
  t.match(done, { state: 'done', reason: null, exit_code: 0, signal: null })
  const said = (await executor.log(done.id)).filter(({ stream }) => stream === 'out')
  const [card, ...lines] = said
    .map(piece => piece.text)
    .join('')
    .trim()
    .split('\n')
  t.same(JSON.parse(card ?? ''), CARD)
  t.same(lines, [
    folder,
    `DAYBOOK_CARD_ID=${CARD.id}`,
    `DAYBOOK_RUN_ID=${done.id}`,
    `DAYBOOK_RUN_MARKER=marker-of-${process.pid}-1`,
    'NAME=a b',
    'PATH=/usr/bin:/bin',
  ])
  t.equal(statSync(folder).mode & 0o777, 0o700)
  t.match(await text(done), /^Started as process \d+\.\n/)
  t.equal(done.log_bytes, Buffer.byteLength(await text(done)))
})

const ENDS: { name: string; command: string[]; run: object; log?: RegExp }[] = [
  {
    name: 'a run whose program exits with a code other than 0 fails',
    command: shell('echo out; echo err >&2; exit 7'),
    run: { state: 'failed', reason: 'exit', exit_code: 7, signal: null },
    log: /ended with exit code 7/,
  },
  {
    name: 'a run whose program is ended by a signal fails',
    command: shell('kill -SEGV $$'),
    run: { state: 'failed', reason: 'signal', exit_code: null, signal: 'SIGSEGV' },
    log: /ended by SIGSEGV/,
  },
  {
    name: 'a run whose program does not exist fails',
    command: ['no-such-program-anywhere'],
    run: { state: 'failed', reason: 'not_started', exit_code: null, signal: null, started_at: null },
    log: /^no-such-program-anywhere could not be started: there is no such program\.\n$/,
  },
  {
    name: 'a run whose program is not executable fails',
    command: ['/etc/passwd'],
    run: { state: 'failed', reason: 'not_started' },
    log: /may not be started/,
  },
  {
    name: 'the command runs without a shell',
    command: ['printf', '%s', '$(id) > x; `id`'],
    run: { state: 'done', exit_code: 0 },
    log: /\$\(id\) > x; `id`/,
  },
  {
    name: 'a run whose program neither reads nor prints succeeds',
    command: ['true'],
    run: { state: 'done', exit_code: 0 },
  },
]
for (const { name, command, run, log } of ENDS) {
  t.test(name, async t => {
    const { executor, over, text, reported } = await createExecutor(t, { settings: { command } })
    const done = await over(await executor.start(CARD.id, 'real', ADA))
    t.match(done, run)
    if (log) t.match(await text(done), log)
    t.same(reported, [])
  })
}

t.test('a working folder that cannot be used is named as the reason', async t => {
  const home = testFolder(t, { file: '' })
  symlinkSync(join(home, 'nowhere'), join(home, 'link'))
  const cases = [
    { folder: join(home, 'file', 'work'), reason: 'ENOTDIR' },
    { folder: join(home, 'file'), reason: 'ENOTDIR' },
    { folder: join(home, 'link'), reason: 'ENOENT' },
    { folder: '/proc/nowhere/work', reason: 'ENOENT' },
  ]
  for (const { folder, reason } of cases) {
    const { executor, over, text } = await createExecutor(t, { settings: { command: ['true'], folder } })
    const done = await over(await executor.start(CARD.id, 'real', ADA))
    t.match(done, { state: 'failed', reason: 'not_started' })
    t.match(await text(done), `working folder ${folder} cannot be used (${reason}). Set BOARD_EXECUTOR_FOLDER`)
  }
})

t.test('a program may end without reading its input, of any length', async t => {
  const { executor, over, reported } = await createExecutor(t, {
    findCard: async () => ({ ...CARD, body: 'x'.repeat(4 * 1024 * 1024) }),
    settings: { command: shell('exec 0<&-; sleep 0.2; exit 0') },
  })
  t.match(await over(await executor.start(CARD.id, 'real', ADA)), { state: 'done', exit_code: 0 })
  t.same(reported, [])
})

t.test('output is decoded as UTF-8 across chunks, and invalid bytes are replaced', async t => {
  const script = String.raw`printf 'a\342\202'; sleep 0.3; printf '\254b\377c\000d\360'`
  const { executor, over } = await createExecutor(t, { settings: { command: shell(script) } })
  const done = await over(await executor.start(CARD.id, 'real', ADA))
  const said = (await executor.log(done.id)).filter(({ stream }) => stream === 'out')
  t.equal(said.map(({ text }) => text).join(''), 'a€b\ufffdc\0d\ufffd')
})

t.test('runs are queued, and a queued run can be cancelled', async t => {
  const { executor, over, folder } = await createExecutor(t, {
    settings: { command: shell('while [ ! -e go ]; do sleep 0.02; done') },
  })
  const [first, second, third] = await Promise.all([
    executor.start(CARD.id, 'real', ADA),
    executor.start(CARD.id, 'real', ADA),
    executor.start(CARD.id, 'real', ADA),
  ])
  await until(async () => (await executor.get(first.id)).state === 'running')
  t.match(await executor.status(), { real: true, running: 'run_1', queued: 2 })
  t.match(await executor.cancel('run_2', ADA), { state: 'cancelled', started_at: null, reason: null })
  t.equal((await executor.status()).queued, 1)
  await t.rejects(executor.cancel('run_2', ADA), { category: 'conflict', code: 'run_finished' })
  await t.rejects(executor.cancel('run_9', ADA), { category: 'not_found', code: 'not_found' })
  writeFileSync(join(folder, 'go'), '')
  t.equal((await over(first)).state, 'done')
  t.equal((await over(third)).state, 'done')
  t.ok(((await over(first)).finished_at ?? '') < ((await over(third)).started_at ?? ''))
  t.equal((await over(second)).state, 'cancelled')
  t.same(
    (await executor.list({ state: 'done' }, { limit: 9, after: null })).items.map(({ id }) => id),
    ['run_3', 'run_1'],
  )
})

t.test('the number of queued runs is limited', async t => {
  const { executor } = await createExecutor(t)
  await executor.pause()
  for (let n = 0; n < RUN_LIMITS.queued; n++) await executor.start(CARD.id, 'mock', ADA)
  await t.rejects(executor.start(CARD.id, 'mock', ADA), { category: 'unavailable', code: 'busy', retryAfterSeconds: 5 })
  t.equal((await executor.start(CARD.id, 'dry_run', ADA)).state, 'done', 'what does not wait may come')
})

t.test('a paused executor starts no run, and the current run continues', async t => {
  const home = testFolder(t)
  const one = await createExecutor(t, { home, settings: { command: shell('while [ ! -e go ]; do sleep 0.02; done') } })
  const first = await one.executor.start(CARD.id, 'real', ADA)
  const second = await one.executor.start(CARD.id, 'mock', ADA)
  await until(async () => (await one.executor.get(first.id)).state === 'running')
  t.match(await one.executor.pause(), { paused: true, running: first.id, queued: 1 })
  writeFileSync(join(one.folder, 'go'), '')
  t.equal((await one.over(first)).state, 'done')
  await until(async () => (await one.executor.status()).running === null)
  t.equal((await one.executor.get(second.id)).state, 'queued')
  t.match(await one.executor.resume(), { paused: false })
  t.equal((await one.over(second)).state, 'done')
  await one.executor.pause()
  await one.executor.close()
  one.database.close()
  const two = await createExecutor(t, { home })
  t.ok((await two.executor.status()).paused, 'also after a restart')
})

t.test('a follower of a log receives every piece as it is written, and the end with the run', async t => {
  const { executor, over, folder } = await createExecutor(t, {
    settings: { command: shell('echo one; while [ ! -e go ]; do sleep 0.02; done; echo two >&2') },
  })
  const run = await executor.start(CARD.id, 'real', ADA)
  const pieces: LogPiece[] = []
  const states = new Set<RunState>()
  for await (const some of executor.follow(run.id, 0, new AbortController().signal)) {
    pieces.push(...some)
    states.add((await executor.get(run.id)).state)
    if (pieces.some(({ text }) => text === 'one\n')) writeFileSync(join(folder, 'go'), '')
  }
  t.ok(states.has('running'), 'the run is reported while it runs')
  await over(run)
  t.same(pieces, await executor.log(run.id))
  t.same(
    pieces.map(({ seq }) => seq),
    pieces.map((_, i) => i + 1),
  )
  t.match(
    pieces.filter(({ stream }) => stream !== 'note').map(({ stream, text }) => [stream, text]),
    [
      ['out', 'one\n'],
      ['err', 'two\n'],
    ],
  )
  const after: LogPiece[] = []
  for await (const some of executor.follow(run.id, 1, new AbortController().signal)) after.push(...some)
  t.same(after, pieces.slice(1))
})

t.test('a follower of a log can leave in every state of the run', async t => {
  const { executor } = await createExecutor(t)
  await executor.pause()
  const run = await executor.start(CARD.id, 'mock', ADA)
  const gone = new AbortController()
  const following = executor.follow(run.id, 0, gone.signal).next()
  gone.abort()
  t.match(await following, { done: true })
  t.same(await executor.follow('run_9', 0, new AbortController().signal).next(), { done: true, value: undefined })
})

t.test('a log keeps the newest bytes of unlimited output, and slows the program down', async t => {
  const { executor, over } = await createExecutor(t, { settings: { command: shell('yes 0123456789') } })
  const run = await executor.start(CARD.id, 'real', ADA)
  await until(async () => (await executor.get(run.id)).log_dropped_bytes > 2 * RUN_LIMITS.logBytes)
  const cancelled = await executor.cancel(run.id, ADA)
  t.match(cancelled, { state: 'cancelled', signal: 'SIGTERM' })
  t.ok(cancelled.log_bytes <= RUN_LIMITS.logBytes && cancelled.log_bytes > RUN_LIMITS.logBytes / 2)
  t.equal((await over(run)).state, 'cancelled')
  t.match((await executor.log(run.id)).at(-1), { stream: 'note', text: 'The program was ended by SIGTERM.\n' })
})

t.test('the output in a pipe that stays open is read completely, even with a slow store', async t => {
  const kept: string[] = []
  let take = () => {}
  const taken = new Promise<void>(resolve => {
    take = resolve
  })
  const log = new RunLog({
    now: () => CARD.created_at,
    write: async pieces => {
      await taken
      kept.push(...pieces.map(({ text }) => text))
    },
  })
  const pipe = new PassThrough({ highWaterMark: 1024 * 1024 })
  log.read(pipe, 'out')
  const said = Array.from({ length: 400 }, (_, line) => `${line} ${'x'.repeat(1_000)}\n`)
  for (const line of said) pipe.write(line)
  const read = log.readLast()
  for (let turns = 0; turns < 1_000; turns++) await nextTurn()
  t.notOk(pipe.destroyed, 'the pipe stays open while the store is busy')
  take()
  await read
  await log.finish()
  t.equal(kept.join(''), said.join(''))
  t.ok(pipe.destroyed)
})

t.test('a temporary failure of the store loses neither the log nor the end of a run', async t => {
  let refusals = 0
  const rig = await createExecutor(t, { settings: { command: shell('echo said; exit 4') } })
  const { appendLog, update } = rig.database.runs
  const refuseTwice = () => {
    if (++refusals % 3 !== 0) throw new AppError('unavailable', 'store_full', 'The disk is full.')
  }
  rig.database.runs.appendLog = (...args) => {
    refuseTwice()
    return appendLog.apply(rig.database.runs, args)
  }
  rig.database.runs.update = (...args) => {
    refuseTwice()
    return update.apply(rig.database.runs, args)
  }
  const done = await rig.over(await rig.executor.start(CARD.id, 'real', ADA))
  t.match(done, { state: 'failed', exit_code: 4 })
  t.match(await rig.text(done), /said/)
  t.ok(rig.reported.every(error => error instanceof AppError && error.code === 'store_full'))
})

t.test('a queued run begins as soon as the store can be read again', async t => {
  const rig = await createExecutor(t)
  const { takeQueued } = rig.database.runs
  let refusals = 0
  rig.database.runs.takeQueued = () => {
    if (++refusals <= 3) throw new AppError('unavailable', 'store_io', 'The disk does not answer.')
    return takeQueued.apply(rig.database.runs)
  }
  t.equal((await rig.over(await rig.executor.start(CARD.id, 'mock', ADA))).state, 'done')
  t.equal(refusals > 3, true)
  t.match(rig.reported, Array(3).fill({ code: 'store_io' }))
})

t.test('a defect ends its run, and the next run starts', async t => {
  const rig = await createExecutor(t, { settings: { command: shell('sleep 60') } })
  const { mark } = rig.database.runs
  rig.database.runs.mark = () => {
    rig.database.runs.mark = mark
    throw new TypeError('a defect')
  }
  const first = await rig.executor.start(CARD.id, 'real', ADA)
  const second = await rig.executor.start(CARD.id, 'mock', ADA)
  t.equal((await rig.over(first)).state, 'interrupted')
  t.equal((await rig.over(second)).state, 'done')
  t.match(rig.reported, [{ message: 'a defect' }])
})
