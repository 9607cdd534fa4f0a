import fc from 'fast-check'
import type { Test } from 'tap'
import type { Run, RunState } from '../../../src/model/board/run.js'
import type { BoardStore } from '../../../src/store/board-store.js'
import { ADA } from '../../board/actor.js'
import { queuedRun } from '../../support/run.js'
import type { OpenBoardStore } from './open-board-store.js'

const AT = '2031-05-04T09:00:00.000000Z'
const QUEUED: Run = queuedRun({ mode: 'real', created_at: AT, timeout_seconds: 600 })

function out(text: string) {
  return { at: AT, stream: 'out' as const, text }
}

/**
 * Tests of runs and their logs for every engine.
 *
 * @param examples how many logs are tried
 */
export function runStoreConformance(
  t: Test,
  open: (...args: Parameters<OpenBoardStore>) => Promise<Pick<BoardStore, 'runs' | 'multiServer'>>,
  examples: number,
): void {
  /** With the lease on performing runs. */
  const opened = async (t: Test) => {
    const { runs, multiServer } = await open(t)
    return { runs, lease: await multiServer?.runs.acquireLease({ seconds: 60, at: AT }) }
  }

  t.test('a run is found as created, and an update changes only its members', async t => {
    const { runs } = await open(t)
    const plan = { command: ['a\0"\ud800', '-x'], folder: '/w', environment: ['PATH'], timeout_seconds: 5 }
    const run: Run = { ...QUEUED, plan }
    await runs.create(run, { keep: 10, by: ADA })
    t.same(await runs.find('run_1'), run)
    const changes = { state: 'failed', reason: 'signal', signal: 'SIGKILL', finished_at: AT } as const
    t.same(await runs.update('run_1', changes), { ...run, ...changes })
    t.same(await runs.find('run_1'), { ...run, ...changes })
    t.equal(await runs.update('run_2', changes), undefined)
    t.equal(await runs.find('run_1\0'), undefined, 'a name that the driver would cut short names nothing')
    t.same(await runs.list({ card_id: 'card_1\0' }, { limit: 1, after: null }), { items: [], next: null })
  })

  t.test('runs are listed newest first, in pages, by card and by state', async t => {
    const { runs } = await open(t)
    for (const n of [1, 2, 3, 4, 5]) {
      const state: RunState = n % 2 ? 'done' : 'queued'
      await runs.create(
        { ...QUEUED, id: `run_${n}`, card_id: n > 3 ? 'card_2' : 'card_1', state },
        { keep: 10, by: ADA },
      )
    }
    const idsOf = ({ items }: { items: Run[] }) => items.map(({ id }) => id)
    const first = await runs.list({}, { limit: 2, after: null })
    t.same(idsOf(first), ['run_5', 'run_4'])
    const second = await runs.list({}, { limit: 3, after: first.next })
    t.same(idsOf(second), ['run_3', 'run_2', 'run_1'])
    t.equal(second.next, null)
    t.same(idsOf(await runs.list({ card_id: 'card_2' }, { limit: 9, after: null })), ['run_5', 'run_4'])
    t.same(idsOf(await runs.list({ card_id: 'card_1', state: 'queued' }, { limit: 9, after: null })), ['run_2'])
  })

  t.test('the oldest finished runs are removed with their logs, and active runs stay', async t => {
    const { runs } = await open(t)
    await runs.create(QUEUED, { keep: 2, by: ADA })
    for (const n of [2, 3, 4]) {
      await runs.create({ ...QUEUED, id: `run_${n}`, state: 'done' }, { keep: 2, by: ADA })
      await runs.appendLog(`run_${n}`, [out('x')], { bytes: 10, pieces: 99 })
    }
    t.same(
      (await runs.list({}, { limit: 9, after: null })).items.map(({ id }) => id),
      ['run_4', 'run_3', 'run_1'],
    )
    t.same(await runs.readLog('run_2', 0, 100), [])
    t.equal((await runs.readLog('run_3', 0, 100)).length, 1)
    t.same(await runs.appendLog('run_2', [out('x')], { bytes: 10, pieces: 99 }), [], 'a run that is gone has no log')
  })

  t.test('active runs are listed with their markers, oldest first, and the pause is stored', async t => {
    const { runs } = await open(t)
    await runs.create(QUEUED, { keep: 9, by: ADA })
    await runs.create({ ...QUEUED, id: 'run_2', state: 'done' }, { keep: 9, by: ADA })
    await runs.create({ ...QUEUED, id: 'run_3' }, { keep: 9, by: ADA })
    await runs.mark('run_1', 'm')
    await runs.update('run_1', { state: 'running' })
    await runs.setPaused(true)
    t.same(
      (await runs.listActive()).map(({ run, marker }) => [run.id, marker]),
      [
        ['run_1', 'm'],
        ['run_3', undefined],
      ],
    )
    t.ok(await runs.isPaused())
    await runs.setPaused(false)
    t.notOk(await runs.isPaused())
  })

  t.test('a log keeps any text, including NUL and characters beyond the first plane', async t => {
    const { runs } = await open(t)
    await runs.create(QUEUED, { keep: 9, by: ADA })
    const written = await runs.appendLog('run_1', [out('a\0b'), { at: AT, stream: 'note', text: '😀' }], {
      bytes: 99,
      pieces: 99,
    })
    t.same(await runs.readLog('run_1', 0, 99), written)
    t.same(await runs.readLog('run_1', 1, 99), written.slice(1))
    t.match(await runs.find('run_1'), { log_bytes: 7, log_dropped_bytes: 0 })
  })

  t.test('a log is read in bounded parts', async t => {
    const { runs } = await open(t)
    await runs.create(QUEUED, { keep: 9, by: ADA })
    await runs.appendLog(
      'run_1',
      Array.from({ length: 200 }, () => out('abc')),
      { bytes: 9999, pieces: 9999 },
    )
    t.same(
      (await runs.readLog('run_1', 0, 10)).map(({ seq }) => seq),
      [1, 2, 3, 4],
    )
    t.equal((await runs.readLog('run_1', 0, 9999)).length, 200)
  })

  t.test('a log of tiny pieces is bounded by their number, and read in parts', async t => {
    const { runs } = await open(t)
    await runs.create(QUEUED, { keep: 9, by: ADA })
    const most = { bytes: 99_999, pieces: 2_000 }
    for (let batch = 0; batch < 3; batch++)
      await runs.appendLog(
        'run_1',
        Array.from({ length: 1_000 }, () => out('x')),
        most,
      )
    t.match(await runs.find('run_1'), { log_bytes: 2_000, log_dropped_bytes: 1_000 })
    const first = await runs.readLog('run_1', 0, 99_999)
    t.equal(first[0]?.seq, 1_001)
    t.ok(first.length < 2_000, 'not all in one read')
  })

  t.test('a log keeps its newest pieces, and counts the dropped bytes', async t => {
    const { runs } = await open(t)
    let made = 0
    const batches = fc.array(fc.array(fc.string({ maxLength: 30, unit: 'grapheme' }), { maxLength: 6 }), {
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(batches, fc.integer({ min: 0, max: 120 }), async (texts, maxBytes) => {
        const id = `run_${++made}`
        await runs.create({ ...QUEUED, id }, { keep: 9, by: ADA })
        for (const batch of texts) await runs.appendLog(id, batch.map(out), { bytes: maxBytes, pieces: 1_000 })
        const all = texts.flat()
        const kept = await runs.readLog(id, 0, 9999)
        const bytesOf = (list: readonly string[]) => Buffer.byteLength(list.join(''))
        const keptTexts = kept.map(({ text }) => text)
        const { log_bytes, log_dropped_bytes } = (await runs.find(id)) as Run
        return (
          keptTexts.join('|') === all.slice(all.length - kept.length).join('|') &&
          kept.every(({ seq }, i) => seq === all.length - kept.length + i + 1) &&
          log_bytes === bytesOf(keptTexts) &&
          log_bytes <= maxBytes &&
          log_bytes + log_dropped_bytes === bytesOf(all)
        )
      }),
      { numRuns: examples },
    )
  })

  t.test('queued runs start once, in order, and not while the executor is paused', async t => {
    const { runs, lease } = await opened(t)
    for (const n of [1, 2, 3])
      t.equal(await runs.create({ ...QUEUED, id: `run_${n}` }, { keep: 9, by: ADA, mostQueued: 3 }), true)
    t.equal(await runs.create({ ...QUEUED, id: 'run_4' }, { keep: 9, by: ADA, mostQueued: 3 }), false)
    t.equal(await runs.find('run_4'), undefined, 'one beyond the limit is not stored')
    await runs.setPaused(true)
    t.equal(await runs.takeQueued(lease), undefined)
    await runs.setPaused(false)
    t.match(await runs.takeQueued(lease), { id: 'run_1', state: 'queued' })
    t.equal(await runs.cancelQueued('run_1', { at: AT, by: ADA }), false, 'an executor has it')
    t.equal(await runs.cancelQueued('run_2', { at: AT, by: ADA }), true)
    t.equal(await runs.cancelQueued('run_2', { at: AT, by: ADA }), false)
    t.match(await runs.find('run_2'), { state: 'cancelled', finished_at: AT })
    t.same(
      (await runs.listActive()).map(({ run, isTaken }) => [run.id, isTaken]),
      [
        ['run_1', true],
        ['run_3', false],
      ],
    )
    t.match(await runs.takeQueued(lease), { id: 'run_3' })
    t.equal(await runs.takeQueued(lease), undefined)
  })

  t.test('a finished run stays as it is', async t => {
    const { runs } = await opened(t)
    await runs.create(QUEUED, { keep: 9, by: ADA })
    const ended = await runs.update('run_1', { state: 'interrupted', finished_at: AT })
    t.same(await runs.update('run_1', { state: 'running', started_at: AT }), ended)
    t.same(await runs.update('run_1', { state: 'done', exit_code: 0, finished_at: AT }), ended)
  })
}
