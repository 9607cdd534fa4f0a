import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { LedgerCopied } from '../../src/model/ledger-copy.js'
import { shownAddress } from '../../src/model/postgres-address.js'
import type { SourceDefinition } from '../../src/model/sources/source-definition.js'
import { openLedger } from '../../src/runtime/open-ledger.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { runInHost } from '../commands/command-host.js'
import { readAll } from '../runtime/postgres/three-servers.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { memorySources } from '../settings/memory-sources.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { entry } from './entries.js'
import { HttpClient, NoAnswer } from './http-client.js'
import { ownFolder } from './own-folder.js'
import { consume } from './polling-consumer.js'
import { environment, startServer } from './running-server.js'

const LAST = 'last'
const BUILDS: SourceDefinition = {
  name: 'builds',
  proof: { type: 'token', header: 'x-token' },
  rules: [{ kind: 'build.done', subject_id: '{/id}', target: [{ type: 'build', id: '{/id}' }], key: '{/id}' }],
}

/** Sends events one after the other until `stop`; each until a server has accepted it. */
function keepPosting(url: () => string) {
  const acknowledged: string[] = []
  let isStopped = false
  const post = async () => {
    for (let at = 0; !isStopped || acknowledged.at(-1) !== LAST; at++) {
      const key = isStopped ? LAST : `chat:${at}`
      while (!(await accepts(url(), key))) await sleep(10)
      acknowledged.push(key)
    }
  }
  const ended = post()
  return {
    acknowledged,
    stop: async () => {
      isStopped = true
      await ended
    },
  }
}

async function accepts(url: string, key: string): Promise<boolean> {
  const http = new HttpClient(url)
  try {
    const { status } = await http.post('/api/events', entry(key))
    return status === 200 || status === 201
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  } finally {
    http.close()
  }
}

/** Saves the source in the file, because only administrators can save it at a server. */
async function defineBuilds(file: string): Promise<void> {
  const settings = readLocalSettings({}, memorySources({ env: { EVENT_DB: file } }))
  const { store, close } = await openLedger(settings, 'command')
  const now = '2031-01-15T08:00:00.000000Z'
  await store.sources.save({ definition: BUILDS, secrets: ['s3cr3t-of-builds'], now }, 9)
  await close()
}

/** Delivers with a right secret and with a wrong one. @returns both answers */
async function deliveries(url: string): Promise<number[]> {
  const http = new HttpClient(url)
  try {
    const deliver = async (secret: string) => {
      return (await http.post('/webhooks/in/builds', { id: 7 }, { headers: { 'x-token': secret } })).status
    }
    return [await deliver('s3cr3t-of-builds'), await deliver('another')]
  } finally {
    http.close()
  }
}

async function copy(home: string, [from, to]: readonly [string, string]): Promise<LedgerCopied> {
  const argv = ['ledger', 'copy', '--from', from, '--to', to, '--json']
  const { code, out, err } = await runInHost({ argv, env: environment({ home }), input: '' })
  if (code !== 0) throw new Error(`The copy failed: ${Buffer.from(out)}${Buffer.from(err)}`)
  return JSON.parse(Buffer.from(out).toString()) as LedgerCopied
}

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else
  t.test('a served ledger moves to PostgreSQL and back under load, and each event is stored once', async t => {
    const cluster = await TestCluster.shared(t, programs)
    const home = ownFolder(t)
    const database = shownAddress(await cluster.emptyLedger(t))
    const [file, back] = [join(home, 'events.db'), join(home, 'back.db')]
    const start = (database: string) => startServer(t, { database, home })
    /** A server that is not killed, and that no copy ends. */
    const startHere = (db: string) => serveHere(t, { home, db, only: 'ledger' })
    await defineBuilds(file)
    const first = await start(file)
    let current = first.url
    const url = () => current
    const accepted = [200, 401]
    t.same(await deliveries(first.url), accepted)
    const writer = keepPosting(url)
    const consumed = consume(t, { query: 'source=chat', url, isLast: key => key === LAST })
    const more = async (count: number) => {
      for (const from = writer.acknowledged.length; writer.acknowledged.length < from + count; ) await sleep(10)
    }
    await more(100)

    const there = await copy(home, [file, database])
    t.match(await first.ended, { code: 0 }, 'the server of the file has ended without a signal')
    const [one, two] = await Promise.all([start(database), startHere(database)])
    current = one.url
    t.same(await deliveries(one.url), accepted, 'its own source delivers to the new place')
    await more(50)
    await one.kill()
    current = two.url
    await more(50)

    const again = await copy(home, [database, back])
    t.equal(again.epoch, there.epoch)
    // A recent commit counts as a successful check of the store for one second.
    const health = async () => (await fetch(`${two.url}/api/health`)).status
    while ((await health()) === 200) await sleep(10)
    t.equal(await health(), 503, 'a server of the old place refuses events')
    await two.close()
    current = (await startHere(back)).url
    t.same(await deliveries(current), accepted)
    await more(30)
    await writer.stop()

    const seen = await consumed
    const events = await readAll(current)
    const stored = events.filter(({ source }) => source === 'chat').map(event => event.dedupe_key)
    t.match(
      events.filter(event => event.source === 'builds'),
      [{ kind: 'build.done', seen_count: 3 }],
    )
    t.same(seen, stored, 'the consumer has every event once, in the order of the ledger')
    t.same(
      writer.acknowledged.filter(key => !stored.includes(key)),
      [],
      'nothing acknowledged is lost',
    )
  })
