import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { eventOf, readAll } from '../runtime/postgres/three-servers.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { ownFolder } from './own-folder.js'

const DAYBOOK = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))
const KILLS = 3

interface Served {
  url: string
  process: ChildProcess
}

async function startServer(t: Test, database: string): Promise<Served> {
  const args = [DAYBOOK, 'serve', '--only', 'ledger', '--port', '0', '--json', '--log-level', 'silent']
  const env = { PATH: process.env.PATH, HOME: ownFolder(t), EVENT_DB: database }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { url: JSON.parse(line).ledger, process: child }
}

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else
  t.test('servers on one PostgreSQL are killed while senders post: each acknowledged event is stored once', async t => {
    const cluster = await TestCluster.start(t, programs, ['fsync=on'])
    const database = shownAddress(cluster.newAddress())
    const servers = await Promise.all([startServer(t, database), startServer(t, database)])
    const acknowledged: string[] = []
    let isWriting = true
    const write = async (writer: number) => {
      for (let at = 0; isWriting; at++) {
        const key = `${writer}/${at}`
        // As a sender does: to another server, until one of them has answered.
        for (let tries = writer; isWriting; tries++) {
          const { url } = servers[tries % servers.length] as Served
          if (!(await post(url, key))) continue
          acknowledged.push(key)
          break
        }
      }
    }
    const writers = Array.from({ length: 6 }, (_, writer) => write(writer))
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(300)
      const killed = servers[kill % servers.length] as Served
      killed.process.kill('SIGKILL')
      servers[kill % servers.length] = await startServer(t, database)
    }
    isWriting = false
    await Promise.all(writers)
    const stored = (await readAll(servers[0]?.url as string)).map(event => event.dedupe_key)
    t.ok(acknowledged.length > 20)
    t.equal(new Set(stored).size, stored.length)
    t.same(
      acknowledged.filter(key => !stored.includes(key)),
      [],
    )
  })

/** @returns whether it was acknowledged */
async function post(url: string, key: string): Promise<boolean> {
  const body = JSON.stringify(eventOf(key))
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(`${url}/api/events`, { method: 'POST', headers, body })
    await response.text()
    return response.ok
  } catch {
    await sleep(5) // it was killed
    return false
  }
}
