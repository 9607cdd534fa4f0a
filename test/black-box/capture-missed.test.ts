import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { DEPLOYS } from '../runtime/capture/capture-rig.js'
import { type ServerHere, serveHere } from '../runtime/serve/serve-here.js'
import { chatServer } from '../support/chat-server/chat-server.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { CaptureCommand } from './capture-command.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'

const FLAGS = ['--capture', '--log-level', 'silent']
const RANDOM = { ...DEPLOYS, topic: 'random' }
const MESSAGES = 90

interface Place {
  name: string
  database(t: Test): Promise<{ database: string; endLeases: () => Promise<unknown> }>
}

const places: Place[] = [
  {
    name: 'SQLite',
    database: async t => ({ database: join(ownFolder(t), 'events.db'), endLeases: async () => undefined }),
  },
]
const programs = findPostgres()
if (programs === undefined) t.comment('there is no PostgreSQL server')
else {
  places.push({
    name: 'PostgreSQL',
    database: async t => {
      const cluster = await TestCluster.shared(t, programs)
      const address = await cluster.emptyLedger(t)
      // Simulates the end of the leases, which last half a minute.
      const endLeases = () => cluster.sql(`UPDATE ${address.schema}.leases SET ends_at = clock_timestamp()`)
      return { database: shownAddress(address), endLeases }
    },
  })
}

for (const { name, database: newDatabase } of places) {
  t.test(`servers that are killed while they look for missed changes record each change once, in ${name}`, async t => {
    const { database, endLeases } = await newDatabase(t)
    let lookups = 0
    const chat = await chatServer(t, { fault: ({ path }) => void (/messages\/\d/.test(path) && lookups++) })
    const command = await CaptureCommand.prepare(t, chat, database)
    const startHere = () => serveHere(t, { home: ownFolder(t), env: command.env, only: 'ledger', capture: true })
    const server = await startHere()
    await isLive(server)
    while (chat.queues.waiting === 0) await sleep(5)
    const ids = chat.book.say(DEPLOYS, MESSAGES)
    while (!chat.queues.read) await sleep(5)
    const happened = ids.map(id => `message.created ${id}`)
    await server.close()
    chat.queues.forget()
    for (const id of ids.slice(0, 30)) {
      chat.book.edit(id, 'Changed.')
      happened.push(`message.updated ${id}`)
    }
    chat.book.move(DEPLOYS, RANDOM, ids.slice(30, 45))
    for (const id of ids.slice(30, 45)) happened.push(`message.moved ${id}`)
    for (const id of ids.slice(45, 80)) {
      chat.book.delete(id)
      happened.push(`message.deleted ${id}`)
    }
    for (const more of [5, 17]) {
      const before = lookups
      const dying = await startServer(t, { database, env: command.env, flags: FLAGS })
      while (lookups < before + more) await sleep(1)
      await dying.kill()
      await endLeases()
      chat.queues.forget()
    }
    const last = await startHere()
    await isLive(last)
    while (chat.queues.waiting === 0) await sleep(5)
    await last.close()
    const { events } = await command.read()
    t.same(events.map(({ kind, subject_id }) => `${kind} ${subject_id}`).sort(), happened.sort())
    t.same(
      events.filter(({ seen_count }) => seen_count !== 1),
      [],
    )
  })
}

async function isLive({ url }: ServerHere): Promise<void> {
  for (;;) {
    const { chat_live } = (await (await fetch(`${url}/api/health`)).json()) as { chat_live?: { state: string } }
    if (chat_live?.state === 'live') return
    await sleep(20)
  }
}
