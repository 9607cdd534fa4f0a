import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { LedgerCopied } from '../../src/model/ledger-copy.js'
import { shownAddress } from '../../src/model/postgres-address.js'
import { readAll } from '../runtime/postgres/three-servers.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { startChild } from './child.js'
import { entry } from './entries.js'
import { HttpClient, NoAnswer } from './http-client.js'
import { ownFolder } from './own-folder.js'
import { consume } from './polling-consumer.js'
import { environment, type RunningServer, startServer } from './running-server.js'

const DAYBOOK = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))
const LAST = 'last'

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

async function copy(t: Test, home: string, [from, to]: readonly [string, string]): Promise<LedgerCopied> {
  const child = startChild(t, [DAYBOOK, 'ledger', 'copy', '--from', from, '--to', to, '--json'], {
    env: environment({ home }),
  })
  const { code, out, err } = await child.ended
  if (code !== 0) throw new Error(`The copy failed: ${out}${err}`)
  return JSON.parse(out) as LedgerCopied
}

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else
  t.test(
    'a served ledger moves to PostgreSQL and back while it is written and read: no event is missing or twice',
    async t => {
      const cluster = await TestCluster.start(t, programs)
      const home = ownFolder(t)
      const database = shownAddress(cluster.newAddress())
      const [file, back] = [join(home, 'events.db'), join(home, 'back.db')]
      const start = (database: string) => startServer(t, { database, home })
      const first = await start(file)
      let current: RunningServer = first
      const url = () => current.url
      const writer = keepPosting(url)
      const consumed = consume(t, { query: 'source=chat', url, isLast: key => key === LAST })
      const more = async (count: number) => {
        for (const from = writer.acknowledged.length; writer.acknowledged.length < from + count; ) await sleep(10)
      }
      await more(200)

      const there = await copy(t, home, [file, database])
      t.match(await first.ended, { code: 0 }, 'the server of the file has ended by itself')
      const [one, two] = await Promise.all([start(database), start(database)])
      current = one
      await more(100)
      await one.kill()
      current = two
      await more(100)

      const again = await copy(t, home, [database, back])
      t.equal(again.epoch, there.epoch)
      t.match(await two.http.get('/api/health'), { status: 503 }, 'a server of the old place refuses events')
      await two.stop()
      current = await start(back)
      await more(50)
      await writer.stop()

      const seen = await consumed
      const stored = (await readAll(current.url)).map(event => event.dedupe_key)
      t.same(seen, stored, 'the consumer has every event once, in the order of the ledger')
      t.same(
        writer.acknowledged.filter(key => !stored.includes(key)),
        [],
        'nothing acknowledged is lost',
      )
    },
  )
