import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Run } from '../../../src/model/board/run.js'
import { shownAddress } from '../../../src/model/postgres-address.js'
import { openBoard } from '../../../src/runtime/open-board.js'
import { serve } from '../../../src/runtime/serve/serve.js'
import { copyBoard } from '../../../src/runtime/transfer/copy-board.js'
import { type BoardPlace, readBoardPlace } from '../../../src/settings/board/board-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import type { BoardStore } from '../../../src/store/board-store.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { ADA } from '../../board/actor.js'
import { runDaybook } from '../../commands/run-daybook.js'
import { memorySources } from '../../settings/memory-sources.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { queuedRun } from '../../support/run.js'

const AT = '2031-05-04T09:00:00.000000Z'
const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent' } })
const placeOf = (value: string) => readBoardPlace('--from', value, sources)
const logger = {
  warn: (_: object, text: string) => t.fail(text),
  error: (_: object, text: string) => t.fail(text),
}
const move = (from: BoardPlace, to: BoardPlace) => copyBoard({ from, to }, { logger })

async function inBoard<Result>(place: BoardPlace, work: (store: BoardStore) => Promise<Result>): Promise<Result> {
  const { store, close } = await openBoard(place, logger, { role: 'command', mayBeClosed: true })
  try {
    return await work(store)
  } finally {
    await close()
  }
}

const runOf = (number: number): Run => queuedRun({ id: `run_${number}`, created_at: AT })

/** Data of every type that a board has, and more rows than a copy reads at a time. */
async function fill({ cards, runs }: BoardStore): Promise<void> {
  for (let number = 1; number <= 140; number++) {
    const card = { id: `card_${number}`, title: `Card ${number} „é漢“`, body: 'x'.repeat(number), column: 'todo' }
    const rest = { labels: ['ops'], assignee: number % 2 ? 'ada' : null, links: ['chat:a:1'] }
    await cards.create({ ...card, ...rest, created_at: AT, updated_at: AT }, { max: 1_000, by: ADA })
  }
  await cards.update('card_2', { position: 0, title: 'First' }, { updatedAt: AT, by: ADA })
  await cards.update('card_3', { position: 1 }, { updatedAt: AT, by: ADA })
  await cards.delete('card_4', { deletedAt: AT, by: ADA })
  await runs.create(runOf(1), { keep: 10, by: ADA })
  const pieces = Array.from({ length: 200 }, (_, at) => ({
    at: AT,
    stream: 'out' as const,
    text: `line ${at} \0é\n`,
  }))
  await runs.appendLog('run_1', pieces, { bytes: 1_000_000, pieces: 150 })
  await runs.update('run_1', { state: 'failed', exit_code: 3, reason: 'exit', finished_at: AT })
  await runs.setPaused(true)
}

/** The data that a user sees. */
async function shown({ cards, runs, history }: BoardStore) {
  const list = await cards.list({}, { limit: 1_000, after: 0 })
  return {
    cards: list.items,
    histories: await Promise.all(
      ['card_1', 'card_2', 'card_4'].map(id => history.list(id, { limit: 50, after: null })),
    ).then(pages => pages.map(({ items }) => items)),
    runs: (await runs.list({}, { limit: 50, after: null })).items,
    log: await runs.readLog('run_1', 0, 1_000_000),
    isPaused: await runs.isPaused(),
  }
}

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)
  const newDatabase = async (t: Test) => placeOf(shownAddress(await cluster.emptyBoard(t)))

  t.test('a board moves from files to PostgreSQL and back, and every row is the same', async t => {
    const folder = ownFolder(t)
    const files = placeOf(join(folder, 'board'))
    const database = await newDatabase(t)
    const before = await inBoard(files, async store => {
      await fill(store)
      return shown(store)
    })
    const copied = await move(files, database)
    t.match(copied, { from: files.home, cards: 139, runs: 1, log_pieces: 150, digest: /^[0-9a-f]{64}$/ })
    await inBoard(database, async store => {
      t.same(await shown(store), before)
      t.equal(await store.rows.findClosed(), undefined)
      const card = { ...(before.cards[0] as (typeof before.cards)[0]), id: 'card_new' }
      await store.cards.create(card, { max: 1_000, by: ADA })
      t.equal((await store.cards.list({}, { limit: 1_000, after: 0 })).items.at(-1)?.id, 'card_new', 'numbers continue')
      await store.cards.delete('card_new', { deletedAt: AT, by: ADA })
    })
    const again = placeOf(join(folder, 'again'))
    const back = await move(database, again)
    t.equal(back.history, copied.history + 2)
    t.same(await inBoard(again, shown), before)
    await t.rejects(move(again, again), { code: 'same_board' })
  })

  t.test('the old board refuses changes, in files and in servers that have it open', async t => {
    const folder = ownFolder(t)
    const [files, database] = [placeOf(join(folder, 'board')), await newDatabase(t)]
    await inBoard(files, fill)
    const serving = (env: Record<string, string>) => {
      const own = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', BOARD_HOME: folder, ...env } })
      return serve(readServeSettings({ only: 'board', port: '0' }, own), own)
    }
    const running = await serving({ BOARD_HOME: files.home })
    await t.rejects(move(files, database), { code: 'ledger_owned' }, 'its server is stopped first')
    await running.close()
    await move(files, database)
    const moved = { category: 'configuration', code: 'continued_elsewhere' }
    await t.rejects(serving({ BOARD_HOME: files.home }), moved)
    await t.rejects(move(files, placeOf(join(folder, 'other'))), moved)
    await t.rejects(move(files, database), { category: 'conflict', code: 'board_not_empty' })

    const { board, close } = await serving({ BOARD_DB: shownAddress(database.postgres as never) })
    t.teardown(close)
    const add = () =>
      fetch(`${board?.url}/api/cards`, {
        method: 'POST',
        body: JSON.stringify({ title: 'x' }),
        headers: { 'content-type': 'application/json' },
      })
    t.equal((await add()).status, 201)
    await move(database, placeOf(join(folder, 'back')))
    const refused = await add()
    t.match([refused.status, await refused.json()], [503, { code: 'board_moved' }])
    t.equal((await fetch(`${board?.url}/api/cards`)).status, 200, 'it can be read')
  })

  t.test('a failed copy leaves the old board in use, and an interrupted copy can be repeated', async t => {
    const folder = ownFolder(t)
    const [files, database] = [placeOf(join(folder, 'board')), await newDatabase(t)]
    await inBoard(files, async store => {
      await fill(store)
      await store.runs.create(runOf(2), { keep: 10, by: ADA })
    })
    await t.rejects(move(files, database), { category: 'conflict', code: 'runs_active', message: /run_2/ })
    t.equal(await inBoard(files, store => store.rows.findClosed()), undefined)
    await inBoard(files, store => store.runs.cancelQueued('run_2', { at: AT, by: ADA }))
    // The state that a command leaves if it is killed after its first rows.
    await inBoard(files, store =>
      store.rows.setClosed({ state: 'moved', place: shownAddress(database.postgres as never) }),
    )
    await inBoard(database, async ({ rows }) => {
      await rows.setClosed({ state: 'incomplete', place: files.home })
      await rows.write('cards', (await inBoard(files, store => store.rows.read('cards', null))).slice(0, 5))
    })
    await t.rejects(openBoard(database, logger), { category: 'configuration', code: 'import_incomplete' })
    const argv = ['board', 'copy', '--from', files.home, '--to', shownAddress(database.postgres as never)]
    const { code, out } = await runDaybook(t, argv, { atTerminal: true })
    t.equal(code, 0)
    t.match(
      out,
      /^Copied 139 cards, \d+ entries of their history, 2 runs and 150 pieces of logs; both boards are the same\.\n/,
    )
    t.match(out, /from +\S+board, which accepts no changes any more\n {2}to +postgres:.*\n {2}digest +[0-9a-f]{64}\n/)
    await t.rejects(move(placeOf(join(folder, 'nothing')), database), { code: 'board_missing' })
  })
}
