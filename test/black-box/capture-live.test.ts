import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { shownAddress } from '../../src/model/postgres-address.js'
import { DEPLOYS } from '../runtime/capture/capture-rig.js'
import { type ServerHere, serveHere } from '../runtime/serve/serve-here.js'
import { type ChatServer, chatServer } from '../support/chat-server/chat-server.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { CaptureCommand } from './capture-command.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'

const FLAGS = ['--capture', '--log-level', 'silent']

type Server = Pick<ServerHere, 'url'>

t.test('a server that is killed between recording and acknowledging misses no event and counts none twice', async t => {
  const chat = await chatServer(t)
  const command = await CaptureCommand.prepare(t, chat, join(ownFolder(t), 'events.db'))
  const { database, env } = command
  const happened: [string, number][] = []
  const say = () => {
    const [id = 0] = chat.book.say(DEPLOYS)
    happened.push(['message.created', id])
    chat.book.edit(id, `Changed ${id}.`)
    happened.push(['message.updated', id])
    chat.book.react(id, 'add')
    happened.push(['reaction.added', id])
    return id
  }
  say()
  // The first messages are from before the queue: only the message itself can be read then.
  happened.splice(1)
  for (const wait of [0, 8]) {
    const server = await startServer(t, { database, env, flags: FLAGS })
    await isReading(chat, server)
    for (let index = 0; index < 10; index++) chat.book.delete(say())
    happened.push(...happened.filter(isLastTen).map(([, id]): [string, number] => ['message.deleted', id]))
    await sleep(wait)
    await server.kill()
  }
  const server = await startHere(t, env)
  const last = say()
  await isRecorded(server, events =>
    events.some(({ kind, subject_id }) => kind === 'reaction.added' && subject_id === String(last)),
  )
  // After the events of the first answer of the queue are recorded, the server is live.
  await isState(server, 'live')
  await server.close()
  const { events } = await command.read()
  const found = events.map(({ kind, subject_id }) => `${kind} ${subject_id}`)
  t.same(found.toSorted(), happened.map(one => one.join(' ')).toSorted())
  t.same(
    events.filter(({ seen_count }) => seen_count !== 1),
    [],
  )
  t.equal(chat.queues.registered.length, 1, 'the queue survived')

  function isLastTen([kind]: [string, number], index: number): boolean {
    return kind === 'message.created' && index >= happened.length - 30
  }
})

const programs = findPostgres()
if (programs === undefined) t.comment('there is no PostgreSQL server')
else
  t.test('one of two servers reads the queue; when it is killed, the other one continues with it', async t => {
    const cluster = await TestCluster.shared(t, programs)
    const address = await cluster.emptyLedger(t)
    const chat = await chatServer(t)
    const command = await CaptureCommand.prepare(t, chat, shownAddress(address))
    const { database, env } = command
    const [first = 0] = chat.book.say(DEPLOYS)
    const one = await startServer(t, { database, env, flags: FLAGS })
    await isReading(chat, one)
    const two = await startHere(t, env)
    await isState(two, 'standby')
    chat.book.edit(first, 'Changed.')
    await isRecorded(two, events => events.length === 2)
    await one.kill()
    chat.book.edit(first, 'Changed again.')
    // Simulates the end of its lease, which lasts half a minute.
    await cluster.sql(`UPDATE ${address.schema}.leases SET ends_at = clock_timestamp()`)
    await isState(two, 'live')
    const [second = 0] = chat.book.say(DEPLOYS)
    await isRecorded(two, events => events.length === 4)
    await two.close()
    const { events, watch } = await command.read()
    t.same(
      events.map(({ kind, subject_id, seen_count }) => [kind, Number(subject_id), seen_count]),
      [
        ['message.created', first, 1],
        ['message.updated', first, 1],
        ['message.updated', first, 1],
        ['message.created', second, 1],
      ],
    )
    t.equal(watch.last_cursor, String(second))
    t.equal(chat.queues.registered.length, 1)
  })

/** A server that is not killed. */
function startHere(t: Test, env: Record<string, string>): Promise<ServerHere> {
  return serveHere(t, { home: ownFolder(t), env, only: 'ledger', capture: true })
}

async function isReading(chat: ChatServer, server: Server): Promise<void> {
  await isState(server, 'live')
  while (chat.queues.waiting === 0) await sleep(5)
}

async function isState(server: Server, state: string): Promise<void> {
  for (;;) {
    const { chat_live } = await health(server)
    if (chat_live?.state === state) return
    await sleep(20)
  }
}

async function health({ url }: Server) {
  return (await (await fetch(`${url}/api/health`)).json()) as { chat_live?: { state: string } }
}

async function isRecorded({ url }: Server, isSo: (events: StoredEvent[]) => boolean): Promise<void> {
  for (;;) {
    const { items } = (await (await fetch(`${url}/api/events?limit=500`)).json()) as { items: StoredEvent[] }
    if (isSo(items)) return
    await sleep(20)
  }
}
