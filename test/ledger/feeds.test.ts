import t from 'tap'
import type { FeedReport } from '../../src/ledger/feeds.js'
import { Ledger } from '../../src/ledger/ledger.js'
import { AppError } from '../../src/model/app-error.js'
import { feedAt } from '../../src/platforms/defined/presets/feed.js'
import type { Store } from '../../src/store/store.js'
import { rss, serveFeeds } from '../support/feed-server.js'
import { openStoredLedger } from './stored-ledger.js'

const NOW = 1_900_000_000_000_000

async function readDue(ledger: Ledger): Promise<FeedReport[]> {
  const reports: FeedReport[] = []
  await ledger.feeds.readDue('quick', report => reports.push(report), new AbortController().signal)
  return reports
}

function reopen(store: Store, time: { now: number }): Promise<Ledger> {
  return Ledger.open({ store, clock: () => time.now, newSubscriptionId: () => 'sub' })
}

t.test('after a restart, a feed is read when it is due, with a conditional request', async t => {
  const { ledger, store, time } = await openStoredLedger(t, NOW)
  const feeds = await serveFeeds(t)
  const address = `${feeds.url('/news')}?token=hidden`
  feeds.answers.set('/news?token=hidden', { headers: { etag: '"one"' }, body: rss('1') })
  await ledger.sources.save('news', { definition: { name: 'news', ...feedAt(address) } })
  t.match(await readDue(ledger), [{ source: 'news', outcome: { created: 1 } }])
  const note = await store.notes.find('feed', 'news')
  t.match(note?.body, '"one')
  t.notMatch(note?.body, 'hidden')

  const again = await reopen(store, time)
  const [shown] = await again.sources.list()
  t.match(shown?.feed, { read_at: /Z$/, next_read_at: /Z$/ })
  t.same(await readDue(again), [])
  time.now += 901_000_000
  feeds.answers.set('/news?token=hidden', { status: 304 })
  t.match(await readDue(again), [{ source: 'news', outcome: { created: 0, unchanged: true } }])
  t.match(feeds.asked, [{}, { headers: { 'if-none-match': '"one"' } }])
})

t.test('a feed is read although the clock was set back after the last reading', async t => {
  const { ledger, time } = await openStoredLedger(t, NOW)
  const feeds = await serveFeeds(t)
  feeds.answers.set('/news', { body: rss('1') })
  await ledger.sources.save('news', { definition: { name: 'news', ...feedAt(feeds.url('/news')) } })
  await readDue(ledger)
  time.now -= 31_536_000_000_000
  t.match(await readDue(ledger), [{ source: 'news', outcome: { created: 0 } }])
  t.same(await readDue(ledger), [])
})

t.test('a restart does not shorten the wait of a failing feed, which shows the reason', async t => {
  const { ledger, store, time } = await openStoredLedger(t, NOW)
  const feeds = await serveFeeds(t)
  await ledger.sources.save('news', { definition: { name: 'news', ...feedAt(feeds.url('/gone')) } })
  t.match(await readDue(ledger), [{ error: { code: 'platform_place_unknown' } }])
  const again = await reopen(store, time)
  t.match(await again.sources.get('news'), { feed: { problem: /no such feed/ } })
  time.now += 901_000_000
  t.same(await readDue(again), [], 'the time is doubled')
  time.now += 901_000_000
  t.match(await readDue(again), [{ error: { code: 'platform_place_unknown' } }])
})

t.test('a feed that was redefined, or deleted and added again, is read completely', async t => {
  const { ledger, store } = await openStoredLedger(t, NOW)
  const feeds = await serveFeeds(t)
  feeds.answers.set('/news', { headers: { etag: '"one"' }, body: rss('1') })
  const save = (changes: object = {}) =>
    ledger.sources.save('news', { definition: { name: 'news', ...feedAt(feeds.url('/news')), ...changes } })
  await save()
  await readDue(ledger)
  await save({ description: 'Other' })
  t.notOk('feed' in (await ledger.sources.get('news')))
  await readDue(ledger)
  await ledger.sources.delete('news')
  t.same(await store.notes.list('feed'), [])
  await save({ description: 'Other' })
  await readDue(ledger)
  t.equal(feeds.asked.length, 3)
  t.ok(feeds.asked.every(({ headers }) => headers['if-none-match'] === undefined))
})

t.test('a feed whose reading cannot be stored is not read again sooner', async t => {
  const { ledger, store, time } = await openStoredLedger(t, NOW)
  const feeds = await serveFeeds(t)
  feeds.answers.set('/news', { body: rss('1') })
  await ledger.sources.save('news', { definition: { name: 'news', ...feedAt(feeds.url('/news')) } })
  const save = () => Promise.reject(new AppError('unavailable', 'store_full', 'The disk is full.'))
  const failing = await reopen({ ...store, notes: { ...store.notes, save } }, time)
  t.match(await readDue(failing), [{ outcome: { created: 1 } }])
  t.same(await readDue(failing), [])
  t.match(await failing.sources.get('news'), { feed: { next_read_at: /Z$/ } })
})

t.test('the stored state of a source that is deleted during a reading is removed', async t => {
  const { ledger, store } = await openStoredLedger(t, NOW)
  await store.notes.save({ kind: 'feed', name: 'gone', body: '{}' })
  await readDue(ledger)
  t.same(await store.notes.list('feed'), [])
})
