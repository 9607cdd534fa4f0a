import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { type DeliveryTraceState, TRACE_LIMITS } from '../../../src/model/platforms/delivery-trace.js'
import { StoredTrace, type StoredTraceParts } from '../../../src/runtime/serve/stored-trace.js'
import type { NoteStore } from '../../../src/store/note-store.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const DAY = 86_400_000_000
const UNSIGNED = new AppError('unauthenticated', 'signature_invalid', 'The delivery is not signed.')

async function traces(t: Test) {
  const store = await openSqliteStore({
    path: join(testFolder(t), 'events.db'),
    clock: () => NOON,
    onFailure: error => t.fail(String(error)),
  })
  t.teardown(() => store.close())
  const time = { now: NOON }
  const saved: string[] = []
  const warnings: unknown[] = []
  const notes: NoteStore = {
    ...store.notes,
    save: note => {
      saved.push(note.body)
      return store.notes.save(note)
    },
  }
  const begin = (changes: Partial<StoredTraceParts> = {}) =>
    new StoredTrace({
      notes,
      now: () => time.now,
      logger: { warn: (...said: unknown[]) => void warnings.push(said) },
      everyMs: 3_600_000,
      ...changes,
    })
  return { notes, time, saved, warnings, begin }
}

function refuse(trace: StoredTrace, source: string, count = 1): void {
  for (let at = 0; at < count; at++)
    trace.noteRefused(source, UNSIGNED, { headers: { 'x-github-delivery': `d-${at}` } })
}

t.test('the trace of deliveries survives a restart', async t => {
  const { begin, warnings } = await traces(t)
  const first = begin()
  first.noteAccepted('forum')
  refuse(first, 'code_a')
  await first.close()
  const second = begin()
  second.noteAccepted('forum')
  t.match(await second.state(), {
    sources: [{ refused: 1 }, { accepted: 2 }],
    refused: [{ code: 'signature_invalid', delivery_id: 'd-0' }],
  })
  await second.close()
  t.same(warnings, [])
})

t.test('several servers share the counts, and each shows the saved deliveries of the others', async t => {
  const { begin, time } = await traces(t)
  const [one, two] = [begin({ everyMs: 5 }), begin({ everyMs: 5 })]
  t.equal((await one.state()).since, (await two.state()).since)
  for (let round = 0; round < 20; round++) {
    time.now += 1_000_000
    one.noteAccepted('forum')
    refuse(two, 'code_a')
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  await Promise.all([one.close(), two.close()])
  const state = await one.state()
  t.match(state, {
    sources: [
      { source: 'code_a', refused: 20 },
      { source: 'forum', accepted: 20 },
    ],
  })
  t.equal(state.refused.length, 20)
  t.ok(state.refused.every(({ at }, index) => index === 0 || at <= (state.refused[index - 1]?.at ?? '')))
  t.same(await two.state(), state)
})

t.test('a flood of refused deliveries is saved in one write, which counts all and keeps the last reasons', async t => {
  const { begin, saved } = await traces(t)
  const trace = begin()
  await trace.state()
  const before = saved.length
  refuse(trace, 'code_a', 20_000)
  await trace.close()
  t.equal(saved.length - before, 1)
  t.ok((saved.at(-1)?.length ?? 0) < 50_000)
  const { sources, refused } = await trace.state()
  t.match(sources, [{ source: 'code_a', refused: 20_000 }])
  t.equal(refused.length, TRACE_LIMITS.alike)
  t.match(refused[0], { delivery_id: 'd-19999' })
})

t.test(
  'while the store fails, deliveries are kept in memory and saved later, and the failure is logged once',
  async t => {
    const { begin, notes, warnings } = await traces(t)
    let isDown = false
    const save: NoteStore['save'] = async note => {
      if (isDown) throw new AppError('unavailable', 'store_full', 'The disk is full.')
      return notes.save(note)
    }
    const trace = begin({ notes: { ...notes, save }, everyMs: 2 })
    refuse(trace, 'code_a')
    isDown = true
    for (let round = 0; round < 20; round++) {
      refuse(trace, 'code_b')
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    t.match(await trace.state(), { sources: [{ refused: 1 }, { refused: 20 }], refused: { length: 21 } })
    isDown = false
    await trace.close()
    t.equal(warnings.length, 1)
    t.match(await begin().state(), { sources: [{ refused: 1 }, { refused: 20 }], refused: { length: 21 } })
  },
)

t.test('deliveries older than seven days are neither shown nor stored, even without new ones', async t => {
  const { begin, time, notes } = await traces(t)
  const first = begin()
  refuse(first, 'code_a')
  await first.close()
  time.now += 8 * DAY
  const second = begin()
  t.match(await second.state(), { sources: [{ refused: 1 }], refused: { length: 0 } })
  const stored: DeliveryTraceState = JSON.parse((await notes.find('deliveries', 'all'))?.body ?? '{}')
  t.same(stored.refused, [])
  await second.close()
})

t.test('the file of an older release is imported once', async t => {
  const { begin, warnings } = await traces(t)
  const olderFile = join(testFolder(t), 'events.db.deliveries')
  const since = '2026-01-01T00:00:00.000000Z'
  const source = { source: 'forum', accepted: 3, last_accepted_at: since, refused: 0, last_refused_at: null }
  writeFileSync(olderFile, JSON.stringify({ since, sources: [source], refused: [] }))
  const first = begin({ olderFile })
  t.match(await first.state(), { since, sources: [{ source: 'forum', accepted: 3 }] })
  t.notOk(existsSync(olderFile))
  await first.close()
  writeFileSync(olderFile, JSON.stringify({ since, sources: [source], refused: [] }))
  const second = begin({ olderFile })
  t.match(await second.state(), { sources: [{ accepted: 3 }] })
  t.notOk(existsSync(olderFile))
  await second.close()
  t.same(warnings, [])
})

t.test('a damaged file of an older release does not prevent the start', async t => {
  const { begin } = await traces(t)
  const olderFile = join(testFolder(t), 'events.db.deliveries')
  writeFileSync(olderFile, '{"since":"2026')
  const trace = begin({ olderFile })
  t.same((await trace.state()).sources, [])
  await trace.close()
})
