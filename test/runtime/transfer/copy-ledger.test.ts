import { copyFileSync, createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { shownAddress } from '../../../src/model/postgres-address.js'
import { ledgerStatus } from '../../../src/runtime/ledger-status.js'
import { openLedger } from '../../../src/runtime/open-ledger.js'
import { copyLedger } from '../../../src/runtime/transfer/copy-ledger.js'
import { exportLedger } from '../../../src/runtime/transfer/export-ledger.js'
import { exportTable } from '../../../src/runtime/transfer/export-table.js'
import { importLedger } from '../../../src/runtime/transfer/import-ledger.js'
import { verifyLedger } from '../../../src/runtime/verify-ledger.js'
import { type LocalSettings, readLocalSettings } from '../../../src/settings/local-settings.js'
import type { Store } from '../../../src/store/store.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'
import { erase, prune } from '../../store/erasure-conformance.js'
import { messageCreated, serialised } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { storedSubscription } from '../../support/subscription.js'
import { until } from '../../support/until.js'

const CREATED = '2031-01-15T08:00:00.000000Z'
const USER = {
  id: 'u1',
  username: 'ada',
  role: 'admin' as const,
  enabled: true,
  password_hash: 'pbkdf2_sha256$1$00$00',
  created_at: CREATED,
  updated_at: CREATED,
}
const TOKEN = {
  id: 't1',
  user_id: 'u1',
  digest: 'd'.repeat(64),
  prefix: 'tok_abc',
  may: 'all' as const,
  sources: ['chat'],
  name: null,
  expires_at: null,
  created_at: CREATED,
  last_used_at: null,
}
const SUBSCRIPTION = storedSubscription({
  id: 'sub_1',
  last_cursor: '7',
  owner_user_id: 'u1',
  created_at: CREATED,
  updated_at: CREATED,
})

const SECRET = 'whsec-of-builds'
const SOURCE = {
  name: 'builds',
  proof: { type: 'token' as const, header: 'x-token' },
  rules: [{ kind: 'build.done', subject_id: '{/id}', target: [{ type: 'build', id: '{/id}' }], key: '{/id}' }],
}
const FEED = {
  name: 'news',
  proof: { type: 'feed' as const, url: 'https://news.example.org/rss' },
  rules: [],
}

/** A new file, or an empty database. */
const settingsOf = (db: string) => readLocalSettings({}, memorySources({ env: { EVENT_DB: db } }))

async function inLedger<Result>(settings: LocalSettings, work: (store: Store) => Promise<Result>): Promise<Result> {
  const { store, close } = await openLedger({ ...settings, mayBeMoved: true }, 'command')
  try {
    return await work(store)
  } finally {
    await close()
  }
}

/** Data of every type that a ledger has, and more events than a copy reads at a time. */
async function fill(store: Store): Promise<void> {
  const { events, subscriptions, users, consumers, sources, notes, copies } = store
  await users.create(USER)
  await users.addToken(TOKEN, 20)
  await subscriptions.save(SUBSCRIPTION)
  const matches = [{ id: 'sub_1' }]
  const many = Array.from({ length: 520 }, (_, at) => ({ ...messageCreated(`chat:${at}`), matches }))
  const outcomes = await events.record([
    ...many,
    serialised(messageCreated('large', { payload: { text: 'x'.repeat(900_000) } })),
  ])
  const at = outcomes.map(({ capturedAt }) => capturedAt)
  await events.record([messageCreated('chat:3'), messageCreated('chat:510')])
  await erase(store, '1', [at[5] as number])
  await prune(store, '2', at[1] as number)
  await events.record([messageCreated('chat:0')])
  const now = at[9] as number
  await consumers.save({ name: 'mail', owner_user_id: null, position: 'beginning' }, { most: 9, now })
  const lease = await consumers.lease({ name: 'mail' }, { now, until: now + 1, readTo: now })
  const fence = lease.granted ? lease.consumer.fence : 0
  const failed = { dedupe_key: 'chat:7', captured_at: at[7] as number, error: 'no', attempts: 3 }
  await consumers.lease({ name: 'mail' }, { fence, now, until: now + 1, readTo: now })
  await consumers.acknowledge({ name: 'mail' }, { fence, now, until: now, checkpoint: now, deadLetters: [failed] })
  await sources.save({ definition: SOURCE, secrets: [SECRET, 'whsec-of-before'], now: CREATED }, 9)
  await sources.save({ definition: FEED, now: CREATED }, 9)
  await notes.save({ kind: 'feed', name: 'news', body: '{"definition":"d","failures":0}' })
  await subscriptions.saveQueueMark({ account: 'https://chat.example.org bot', queue_id: 'q1', last_event_id: 7 })
  const promotion = { at: CREATED, epoch: 'of the former leader', through: null, digest: null }
  await copies.writeMovedState({ ...(await copies.readMovedState()), promotion })
}

/** Interrupts a copy to each place after its first page, and then repeats and erases an event of that page. */
async function eraseAfterPart(t: Test, from: LocalSettings, ...places: LocalSettings[]): Promise<void> {
  const stop = new Error('interrupted')
  const onProgress = () => {
    throw stop
  }
  for (const to of places) await t.rejects(copyLedger({ from, to }, { onProgress }), stop)
  await inLedger(from, async store => {
    const [known] = await store.events.record([messageCreated('chat:20')])
    await erase(store, '3', [known?.capturedAt as number])
  })
}

/** The data that every move has to keep. */
async function contentOf({ events, copies }: Store) {
  const items: string[] = []
  for (let since = 0, more = true; more; ) {
    const page = await events.query({
      order: 'asc',
      limit: 500,
      since: Math.max(since, (await events.query({ order: 'desc', limit: 1 })).prunedThrough ?? 0),
    })
    items.push(Buffer.from(page.items).toString())
    since = page.nextSince ?? since
    more = page.hasMore
  }
  const { consumers, dead_letters, ...state } = await copies.readState()
  return {
    items,
    stats: { ...(await events.stats()) },
    head: (await copies.read({ since: Number.MAX_SAFE_INTEGER, changes: null, limit: 1, maxBytes: 0 })).through,
    pruned: Buffer.from((await events.findByDedupeKey('chat:0', 10_000)) as Uint8Array).toString(),
    problems: (await events.verify({ since: null, limit: 10_000 })).problems,
    state,
    consumers: consumers.map(({ fence: _, leased_until: __, ...consumer }) => consumer),
    dead_letters: dead_letters.map(({ id: _, ...letter }) => letter),
  }
}

async function movedContentOf(store: Store) {
  return { ...(await contentOf(store)), moved: await store.copies.readMovedState() }
}

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)
  const original = settingsOf(join(ownFolder(t), 'filled.db'))
  await inLedger(original, fill)
  const places = (t: Test) => {
    const folder = ownFolder(t)
    const file = (name = 'events.db') => settingsOf(join(folder, name))
    return {
      folder,
      file,
      filledFile: () => {
        const settings = file()
        copyFileSync(original.database.path, settings.database.path)
        return settings
      },
      // New: an emptied one could have the epoch of the original already.
      database: () => settingsOf(shownAddress(cluster.newAddress())),
      /** One that no ledger is copied to. */
      emptiedDatabase: async () => settingsOf(shownAddress(await cluster.emptyLedger(t))),
    }
  }

  t.test('an interrupted move to PostgreSQL continues, and goes back to a file with an older part of it', async t => {
    const { file, filledFile, database } = places(t)
    const [first, second, third] = [filledFile(), database(), file('back.db')]
    await eraseAfterPart(t, first, second, third)
    await inLedger(first, ({ events }) => events.record([messageCreated('later'), messageCreated('chat:3')]))
    const before = await inLedger(first, movedContentOf)
    const there = await copyLedger({ from: first, to: second }, {})
    // Only the rest, the entry of the erasure and the later event.
    t.match(there, { events: 25, subscriptions: 1, users: 1, tokens: 1, consumers: 1, sources: 2 })
    t.equal(there.to, second.database.path)
    t.same(await inLedger(second, movedContentOf), before)
    await t.rejects(openLedger(first, 'server'), { category: 'configuration', code: 'continued_elsewhere' })

    const server = await openLedger(second, 'server')
    const back = await copyLedger({ from: second, to: third }, {})
    t.equal(back.epoch, there.epoch)
    t.equal(back.head_digest, there.head_digest)
    t.same(await inLedger(third, movedContentOf), before)
    const moved = { category: 'unavailable', code: 'ledger_moved' }
    await t.rejects(server.store.events.record([messageCreated('late')]), moved, 'a server that still runs')
    const { subscriptions, sources, users, consumers, events, notes } = server.store
    const now = before.consumers[0]?.checkpoint as number
    const late: Record<string, () => Promise<unknown>> = {
      'a subscription': () => subscriptions.save({ ...SUBSCRIPTION, id: 'late' }),
      'a source': () => sources.save({ definition: { ...SOURCE, name: 'late' }, secrets: ['late'], now: CREATED }, 9),
      'the end of a source': () => sources.delete('builds'),
      'a user': () => users.create({ ...USER, id: 'u2', username: 'late' }),
      'a password': () =>
        users.update('u1', { password_hash: 'late', updated_at: CREATED }, { mayLoseLastAdmin: true }),
      'the end of a user': () => users.delete('u1', { mayLoseLastAdmin: true }),
      'a token': () => users.addToken({ ...TOKEN, id: 'late', digest: 'e'.repeat(64) }, 20),
      'the end of a token': () => users.deleteToken('u1', 't1'),
      'the end of all tokens': () => users.deleteTokens('u1'),
      'a consumer': () => consumers.save({ name: 'late', owner_user_id: null, position: 'now' }, { most: 9, now }),
      'a checkpoint': () => consumers.seek({ name: 'mail' }, 'now', now),
      'the use of a token': () => users.noteTokenUse('t1', CREATED),
      'the mark of a closed ledger': () => users.markClosed(),
      'a note': () => notes.save({ kind: 'feed', name: 'late', body: '{}' }),
      'the end of a note': () => notes.delete('feed', 'news'),
      'a position in the event queue': () =>
        subscriptions.saveQueueMark({ account: 'late', queue_id: 'q2', last_event_id: 8 }),
      'a probe': () => events.health(),
    }
    for (const [what, change] of Object.entries(late)) await t.rejects(change(), moved, what)
    t.same(await movedContentOf(server.store), before, 'nothing of that is stored')
    await server.close()
    t.match(await ledgerStatus(second, { check: false }), { head_digest: back.head_digest })
    t.match(await verifyLedger(second, {}), { head: { digest: back.head_digest }, problems: { length: 0 } })
    await t.rejects(copyLedger({ from: second, to: file('other.db') }, {}), {
      category: 'configuration',
      code: 'continued_elsewhere',
    })
  })

  t.test('a copy that differs at the end is refused, and the old ledger stays in use', async t => {
    const { file, emptiedDatabase } = places(t)
    const [from, to] = [await emptiedDatabase(), file()]
    await inLedger(from, ({ events }) => events.record([messageCreated('1'), messageCreated('2')]))
    const tampered = copyLedger(
      { from, to },
      {
        onStep: step => {
          if (step === 'comparing') throw new Error('damaged')
        },
      },
    )
    await t.rejects(tampered, /damaged/)
    await inLedger(from, ({ events }) => events.record([messageCreated('later')]))
    const { store, close } = await openLedger({ ...to, continuesImport: true }, 'command')
    t.match(await store.events.stats(), { event_count: 2 })
    await store.events.record([messageCreated('not in the other one')])
    await close()
    await t.rejects(copyLedger({ from, to }, {}), { category: 'conflict', code: 'copy_differs' })
    await inLedger(from, async ({ copies, events }) => {
      t.equal(await copies.findMoved(), null)
      t.match(await events.record([messageCreated('latest')]), [{ created: true }])
    })
  })

  t.test('a change that a server acknowledged before it refuses changes is in the new ledger', async t => {
    const { file, emptiedDatabase } = places(t)
    const [from, to] = [await emptiedDatabase(), file()]
    const server = await openLedger(from, 'server')
    const { users, sources, consumers, events, notes } = server.store
    await events.record([messageCreated('1')])
    const changes: Record<string, (name: string) => Promise<unknown>> = {
      users: name => users.create({ ...USER, id: name, username: name }),
      sources: name => sources.save({ definition: { ...SOURCE, name }, secrets: [name], now: CREATED }, 100_000),
      consumers: name => consumers.save({ name, owner_user_id: null, position: 'now' }, { most: 100_000, now: 1 }),
      notes: name => notes.save({ kind: 'feed', name, body: '{}' }),
    }
    const answered: Record<string, string[]> = { users: [], sources: [], consumers: [], notes: [] }
    const change = async (kind: string, worker: number) => {
      for (let at = 0; ; at++) {
        const name = `w${worker}-${at}`
        const error: unknown = await changes[kind]?.(name)
          .then(() => undefined)
          .catch(error => error)
        if (error) return t.match(error, { code: 'ledger_moved' })
        answered[kind]?.push(name)
      }
    }
    const ended = Object.keys(changes).flatMap(kind => [1, 2, 3].map(worker => change(kind, worker)))
    await until(async () => Object.values(answered).every(names => names.length > 3))
    await copyLedger({ from, to }, {})
    await Promise.all(ended)
    await server.close()
    const [state, moved] = await inLedger(to, ({ copies }) =>
      Promise.all([copies.readState(), copies.readMovedState()]),
    )
    const stored: Record<string, string[]> = {
      users: state.users.map(({ id }) => id),
      sources: moved.sources.map(({ definition, secrets }) => (secrets[0] === definition.name ? definition.name : '')),
      consumers: state.consumers.map(({ name }) => name),
      notes: moved.feeds.map(({ name }) => name),
    }
    for (const [kind, names] of Object.entries(answered)) {
      t.same(
        names.filter(name => !stored[kind]?.includes(name)),
        [],
        kind,
      )
    }
  })

  t.test(
    'an interrupted copy continues from another copy, misses no erasure, and shows no secret that differs',
    async t => {
      const { file, filledFile, database } = places(t)
      const [original, from, to] = [filledFile(), file('moved.db'), database()]
      await eraseAfterPart(t, original, to)
      await t.rejects(openLedger(to, 'server'), { category: 'configuration', code: 'import_incomplete' })
      t.match(await copyLedger({ from: original, to: from }, {}), { events: 524 })
      await inLedger(from, async ({ events, sources }) => {
        await events.record([messageCreated('later'), messageCreated('chat:3')])
        await sources.save({ definition: SOURCE, secrets: ['whsec-new', 'whsec-of-before'], now: CREATED }, 9)
      })
      const schema = new URL(to.database.path).searchParams.get('schema')
      await cluster.sql(`
      CREATE FUNCTION ${schema}.spoil() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.secrets := replace(NEW.secrets, 'before', 'after'); RETURN NEW; END $$;
      CREATE TRIGGER spoil BEFORE INSERT ON ${schema}.source_secrets FOR EACH ROW EXECUTE FUNCTION ${schema}.spoil()`)
      let copied = 0
      const differs: unknown = await copyLedger({ from, to }, { onProgress: ({ events }) => (copied = events) }).catch(
        error => error,
      )
      t.equal(copied, 25, 'only the rest of the events, and the entry of the erasure')
      t.match(differs, { code: 'copy_differs', message: /other sources/ })
      t.notMatch(JSON.stringify(differs) + String(differs), /whsec/, 'no secret is shown')
      await cluster.sql(`DROP FUNCTION ${schema}.spoil CASCADE`)
      const before = await inLedger(from, async store => {
        t.equal(await store.copies.findMoved(), null)
        return movedContentOf(store)
      })
      t.match(await copyLedger({ from, to }, {}), { sources: 2 })
      t.same(await inLedger(to, movedContentOf), before)
    },
  )

  t.test('a copy to a ledger with sources is refused', async t => {
    const { filledFile, emptiedDatabase } = places(t)
    const [from, to] = [filledFile(), await emptiedDatabase()]
    await inLedger(to, ({ sources }) => sources.save({ definition: SOURCE, secrets: ['own'], now: CREATED }, 9))
    await t.rejects(copyLedger({ from, to }, {}), { code: 'ledger_not_empty', message: /it has sources/ })
    await inLedger(to, async ({ sources }) => t.match(await sources.find('builds'), { secrets: ['own'] }))
  })

  t.test('a ledger in PostgreSQL is exported, imported, merged and written as a table like one in a file', async t => {
    const { folder, file, database, emptiedDatabase } = places(t)
    const [from, to, merged] = [await emptiedDatabase(), database(), await emptiedDatabase()]
    await inLedger(from, fill)
    const [path, table] = [join(folder, 'ledger.jsonl.gz'), join(folder, 'events.csv')]
    const exported = await exportLedger(from, path, { accounts: true })
    t.match(exported, { events: 523, subscriptions: 1, users: 1, tokens: 1 })
    t.notMatch(gunzipSync(readFileSync(path)).toString(), /whsec|x-token/, 'an export has no source')
    const read = (into: LocalSettings, merge: boolean) =>
      importLedger(into, createReadStream(path), { merge, keepEpoch: false })
    const withoutConsumers = async (settings: LocalSettings) => {
      const { consumers: _, dead_letters: __, ...others } = await inLedger(settings, contentOf)
      return others
    }
    t.match(await read(to, false), { mode: 'identical', events: 523, head_digest: exported.through?.digest })
    const original = await withoutConsumers(from)
    t.same(await withoutConsumers(to), original)
    await read(file(), false)
    t.same(await withoutConsumers(file()), original, 'also into a file')

    await inLedger(merged, ({ events }) => events.record([messageCreated('chat:9'), messageCreated('own')]))
    // Erased and removed events, and the entries for them, are not merged.
    t.match(await read(merged, true), { mode: 'merged', events: 517, known: 1 })
    t.match(await inLedger(merged, ({ events }) => events.stats()), { event_count: 519 })
    await exportTable(from, table, { accounts: false })
    t.equal(
      readFileSync(table, 'utf8').trim().split('\n').length,
      1 + 521,
      'a head, and a line for each event that is left',
    )
  })

  t.test('a copy over another ledger, or over the same one, is refused', async t => {
    const { file, emptiedDatabase } = places(t)
    const [from, to] = [file(), await emptiedDatabase()]
    await inLedger(to, ({ events }) => events.record([messageCreated('2')]))
    await inLedger(from, ({ events }) => events.record([messageCreated('1')]))
    await t.rejects(copyLedger({ from, to }, {}), { category: 'conflict', code: 'ledger_not_empty' })
    await t.rejects(copyLedger({ from, to: from }, {}), { category: 'invalid', code: 'same_ledger' })
    await inLedger(from, async ({ copies }) => t.equal(await copies.findMoved(), null))
  })
}
