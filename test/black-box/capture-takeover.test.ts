import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { DEPLOYS } from '../runtime/capture/capture-rig.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { chatServer } from '../support/chat-server/chat-server.js'
import type { Fault } from '../support/chat-server/fault.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { CaptureCommand } from './capture-command.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'

/** Several pages. */
const MESSAGES = 400
const PAGE_MESSAGES = 100
const FLAGS = ['--capture', '--log-level', 'silent']

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else
  t.test('when the capturing server is killed, another one continues, and captures each message once', async t => {
    const cluster = await TestCluster.shared(t, programs)
    const address = await cluster.emptyLedger(t)
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    let isHeld: ((index: number) => boolean) | undefined
    let held = 0
    const chat = await chatServer(t, {
      pageMessages: PAGE_MESSAGES,
      // From the third page on, the chat server does not answer.
      fault: ({ path, index }): Fault | undefined => {
        if (path !== '/api/v1/messages' || !isHeld?.(index)) return undefined
        held++
        return { kind: 'slow', until: released, isHeard: true }
      },
    })
    const command = await CaptureCommand.prepare(t, chat, shownAddress(address))
    const { database, env } = command
    const said = chat.book.say(DEPLOYS, 1)
    t.equal(await command.run(), 0)
    const pages = () => chat.asked.filter(({ path }) => path === '/api/v1/messages').length

    said.push(...chat.book.say(DEPLOYS, MESSAGES))
    const before = pages()
    isHeld = index => index >= before + 2
    const one = await startServer(t, { database, env, flags: FLAGS })
    while (held === 0) await sleep(10)
    const leases = () =>
      cluster.sql(`
        SELECT name, fence FROM ${address.schema}.leases
        WHERE ends_at > clock_timestamp() AND name <> 'feeds' ORDER BY name`)
    // It takes the lease of the queue beside its capture, which may come first.
    while ((await leases()).length < 3) await sleep(10)
    const two = await serveHere(t, { home: ownFolder(t), env, only: 'ledger', capture: true })
    await one.kill()
    t.match(
      (await leases()).map(({ name }) => name),
      ['captures', 'chat queue', 'watch deploys'],
      'the killed server still has the right to capture',
    )
    t.equal(held, 1, 'and the other one respects it')
    release()
    // Simulates the end of the lease, which lasts half a minute.
    await cluster.sql(`UPDATE ${address.schema}.leases SET ends_at = clock_timestamp()`)
    const isCaptured = async () => {
      const { event_count } = (await (await fetch(`${two.url}/api/stats`)).json()) as { event_count: number }
      return event_count === said.length
    }
    while (!(await isCaptured())) await sleep(20)
    await two.close()
    const { events, watch } = await command.read()
    t.same(
      events.map(event => Number(event.subject_id)),
      said,
    )
    t.ok(events.every(event => event.seen_count === 1))
    t.equal(watch.last_cursor, String(said.at(-1)))
  })
