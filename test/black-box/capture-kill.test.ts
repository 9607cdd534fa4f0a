import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { DEPLOYS } from '../runtime/capture/capture-rig.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { type ChatServer, chatServer } from '../support/chat-server/chat-server.js'
import { CaptureCommand } from './capture-command.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'
import { type Random, SEED, seeded, wholeNumber } from './seeded.js'

const ROUNDS = Number(process.env.DAYBOOK_TEST_ROUNDS ?? 2)
/** Number of pages before the kill in each round; after five rounds the list repeats. */
const PAGES = [2, 3, 0, 4, 1]
/** Small, so that a round has several pages: the time of the kill matters. */
const PAGE_MESSAGES = 20
/** More messages than a round reads before its kill. */
const MESSAGES = 120

t.setTimeout(600_000 + ROUNDS * 60_000)
t.comment(`seed ${SEED}, ${ROUNDS} rounds`)

t.test('a capture command continues after it was killed between pages, and captures each message once', async t => {
  const { chat, command, random } = await start(t, join(ownFolder(t), 'events.db'))
  const said = await killInBackfill(t, chat, random, command)
  for (let round = 0; round < ROUNDS; round++) {
    said.push(...chat.book.say(DEPLOYS, MESSAGES))
    await killAfter(chat, pagesOf(round), random, command.start())
  }
  t.equal(await command.run(), 0)
  await compare(t, command, said)
})

t.test('a capture command beside a server continues after a kill, and the server continues to serve', async t => {
  const { chat, command, random } = await start(t, join(ownFolder(t), 'events.db'))
  const server = await serveHere(t, { home: ownFolder(t), db: command.database, only: 'ledger' })
  const said = await killInBackfill(t, chat, random, command)
  for (let round = 1; round < ROUNDS; round++) {
    said.push(...chat.book.say(DEPLOYS, MESSAGES))
    await killAfter(chat, pagesOf(round), random, command.start())
    t.match(await fetch(`${server.url}/api/health`), { status: 200 })
  }
  t.equal(await command.run(), 0)
  // Few, or on a busy machine the second would not wait for the first to its end.
  said.push(...chat.book.say(DEPLOYS, 100))
  const child = command.start()
  // The process of the commands would be done before the other one has started.
  await pagesAsked(chat, 1, () => child.hasEnded())
  const [one, other] = await Promise.all([child.ended, command.run()])
  t.match([one, other], [{ code: 0 }, 0])
  await server.close()
  await compare(t, command, said)
})

t.test('a server that captures automatically captures each message once, whether it is killed or stopped', async t => {
  const { chat, command, random } = await start(t, join(ownFolder(t), 'events.db'))
  const said = chat.book.say(DEPLOYS, 1)
  t.equal(await command.run(), 0)
  for (let round = 0; round < ROUNDS; round++) {
    said.push(...chat.book.say(DEPLOYS, MESSAGES))
    const flags = ['--capture', '--log-level', 'silent']
    const server = await startServer(t, { database: command.database, env: command.env, flags })
    await pagesAsked(chat, pagesOf(round), () => server.hasEnded())
    await sleep(wholeNumber(random, 0, 60))
    if (round % 2 === 1) t.match(await server.stop(), { code: 0 })
    else await server.kill()
  }
  t.equal(await command.run(), 0)
  await compare(t, command, said)
})

function pagesOf(round: number): number {
  return PAGES[round % PAGES.length] ?? 0
}

async function start(t: Test, database: string) {
  const chat = await chatServer(t, { pageMessages: PAGE_MESSAGES })
  chat.book.say({ ...DEPLOYS, topic: 'other' })
  return { chat, command: await CaptureCommand.prepare(t, chat, database), random: seeded(SEED) }
}

/** The first capture, which is killed during its backfill, and then completed. @returns the ids of the messages */
async function killInBackfill(t: Test, chat: ChatServer, random: Random, command: CaptureCommand): Promise<number[]> {
  const said = chat.book.say(DEPLOYS, MESSAGES)
  await killAfter(chat, 1, random, command.start())
  t.equal(await command.run(), 0)
  return said
}

/** Waits for this number of requests, and kills the command a moment later. */
async function killAfter(
  chat: ChatServer,
  pages: number,
  random: Random,
  child: ReturnType<CaptureCommand['start']>,
): Promise<void> {
  await pagesAsked(chat, pages, () => child.hasEnded())
  await sleep(wholeNumber(random, 0, 60))
  child.signal('SIGKILL')
  await child.ended
}

async function pagesAsked(chat: ChatServer, pages: number, isOver: () => boolean): Promise<void> {
  const asked = () => chat.asked.filter(({ path }) => path === '/api/v1/messages').length
  const before = asked()
  while (asked() - before < pages && !isOver()) await sleep(2)
}

async function compare(t: Test, command: CaptureCommand, said: readonly number[]): Promise<void> {
  // A killed owner leaves its lock behind; the next start of the program would clear it.
  rmSync(`${command.database}.lock`, { recursive: true, force: true })
  const { events, watch } = await command.read()
  t.same(
    events.map(event => Number(event.subject_id)),
    said,
    'every message is there, in the order in which it was said',
  )
  t.same(
    events.filter(event => event.seen_count !== 1).map(event => event.subject_id),
    [],
    'and was recorded once',
  )
  t.equal(watch.last_cursor, String(said.at(-1)))
}
