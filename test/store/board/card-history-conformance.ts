import type { Test } from 'tap'
import type { CardActor } from '../../../src/model/board/card-history.js'
import type { Run } from '../../../src/model/board/run.js'
import { ADA } from '../../board/actor.js'
import { queuedRun } from '../../support/run.js'
import type { OpenBoardStore } from './open-board-store.js'

const AT = '2031-05-04T09:00:00.000000Z'
const LATER = '2031-05-04T10:00:00.000000Z'
const KEY: CardActor = { kind: 'key', name: null }
const ALL = { limit: 500, after: null }

export function cardWith(id: string, body = '') {
  return {
    id,
    title: id,
    body,
    column: 'backlog',
    labels: [],
    assignee: null,
    links: [],
    created_at: AT,
    updated_at: AT,
  }
}

const QUEUED: Run = queuedRun({ created_at: AT })

/** Tests of the history of cards for every engine. */
export function cardHistoryConformance(t: Test, open: OpenBoardStore): void {
  t.test('each change of a card is an entry with its time and its author, newest first', async t => {
    const { cards, history } = await open(t)
    await cards.create(cardWith('card_1', '- [ ] one\n- [x] two'), { max: 9, by: ADA })
    await cards.update('card_1', { column: 'doing' }, { updatedAt: LATER, by: KEY })
    await cards.update('card_1', { body: '- [x] one\n- [ ] two' }, { updatedAt: LATER, by: ADA })
    await cards.update('card_1', { title: 'x', labels: ['a'], body: 'other' }, { updatedAt: LATER, by: ADA })
    await cards.update('card_1', { title: 'x', position: 0 }, { updatedAt: LATER, by: ADA })
    await cards.delete('card_1', { deletedAt: LATER, by: KEY })
    t.same(await history.list('card_1', ALL), {
      items: [
        { at: LATER, by: KEY, action: 'deleted' },
        { at: LATER, by: ADA, action: 'edited', fields: ['title', 'body', 'labels'] },
        { at: LATER, by: ADA, action: 'ticked', ticked: 1, unticked: 1 },
        { at: LATER, by: KEY, action: 'moved', from: 'backlog', to: 'doing' },
        { at: AT, by: ADA, action: 'created', to: 'backlog' },
      ],
      next: null,
    })
  })

  t.test('a refused change adds no entry', async t => {
    const { cards, history } = await open(t)
    await cards.create(cardWith('card_1'), { max: 9, by: ADA })
    await t.rejects(cards.update('card_1', { title: 'x' }, { version: 7, updatedAt: LATER, by: KEY }))
    await t.rejects(cards.delete('card_1', { version: 7, deletedAt: LATER, by: KEY }))
    t.equal((await history.list('card_1', ALL)).items.length, 1)
    t.same(await history.list('card_2', ALL), { items: [], next: null })
  })

  t.test('the history of a card has its runs, with who started and cancelled them, and their outcome', async t => {
    const { cards, runs, history } = await open(t)
    await cards.create(cardWith('card_1'), { max: 9, by: ADA })
    await runs.create(QUEUED, { keep: 9, by: ADA })
    await runs.update('run_1', { state: 'running', started_at: AT })
    await runs.update('run_1', { state: 'failed', finished_at: LATER })
    await runs.create({ ...QUEUED, id: 'run_2' }, { keep: 9, by: KEY })
    await runs.update('run_2', { state: 'cancelled', finished_at: LATER }, ADA)
    await runs.create({ ...QUEUED, id: 'run_3', card_id: 'card_of_none' }, { keep: 9, by: KEY })
    const executor = { kind: 'executor', name: null }
    t.same((await history.list('card_1', { limit: 4, after: null })).items, [
      { at: LATER, by: ADA, action: 'run_cancelled', run: 'run_2', mode: 'mock' },
      { at: AT, by: KEY, action: 'run_started', run: 'run_2', mode: 'mock', again: true },
      { at: LATER, by: executor, action: 'run_ended', run: 'run_1', mode: 'mock', state: 'failed' },
      { at: AT, by: ADA, action: 'run_started', run: 'run_1', mode: 'mock' },
    ])
    t.same((await history.list('card_of_none', ALL)).items, [])
  })

  t.test('the history of a card and of deleted cards is bounded, and read in pages', async t => {
    const { cards, history, rows } = await open(t)
    let seq = 1_000_000
    /** Entries that are there from before: to make each by a change takes seconds. */
    const write = (entries: [card: string, action: string][]) =>
      rows.write(
        'card_history',
        entries.map(([card, action]) => [++seq, card, AT, ADA.kind, ADA.name, action, '{}']),
      )
    await cards.create(cardWith('card_1'), { max: 9, by: ADA })
    await write(Array.from({ length: 498 }, () => ['card_1', 'edited']))
    const rename = (n: number) => cards.update('card_1', { title: `title ${n}` }, { updatedAt: LATER, by: ADA })
    await Promise.all(Array.from({ length: 12 }, (_, n) => rename(n)))
    const first = await history.list('card_1', { limit: 300, after: null })
    const second = await history.list('card_1', { limit: 300, after: first.next })
    t.same([first.items.length, second.items.length, second.next], [300, 200, null])
    const createAndDelete = async (n: number) => {
      await cards.create(cardWith(`gone_${n}`), { max: 2_000, by: ADA })
      await cards.delete(`gone_${n}`, { deletedAt: LATER, by: ADA })
    }
    seq += 1_000 // after the entries of the changes
    const gone = Array.from({ length: 980 }, (_, n) => `gone_${n}`)
    await write(gone.flatMap(id => [[id, 'created'] as [string, string], [id, 'deleted'] as [string, string]]))
    await Promise.all(Array.from({ length: 22 }, (_, n) => createAndDelete(980 + n)))
    t.same(
      (await Promise.all(['gone_0', 'gone_1', 'gone_2', 'gone_1001'].map(id => history.list(id, ALL)))).map(
        ({ items }) => items.length,
      ),
      [0, 0, 2, 2],
    )
    t.equal((await history.list('card_1', ALL)).items.length, 500)
  })
}
