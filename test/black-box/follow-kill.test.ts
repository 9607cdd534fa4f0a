import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { freePort } from '../support/free-port.js'
import { type Child, startChild } from './child.js'
import { ownFolder } from './own-folder.js'
import { environment } from './running-server.js'
import { SEED, seeded, wholeNumber } from './seeded.js'

const DAYBOOK = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))
/** Few by default; a long run sets hundreds. */
const ROUNDS = Number(process.env.DAYBOOK_TEST_ROUNDS ?? 2)
const ADMIN_TOKEN = 'a-long-enough-secret'
const HEADERS = { 'x-event-admin-token': ADMIN_TOKEN, 'content-type': 'application/json' }
/** Half of the deliveries are repeats. */
const KEYS = 400

t.setTimeout(300_000 + ROUNDS * 30_000)
t.comment(`seed ${SEED}, ${ROUNDS} rounds`)

interface Health {
  head_digest: string | null
  follows?: { state: string; lag_events: number | null }
}

/** The leader, or the follower, over all of its processes. */
class Program {
  #child: Child | undefined

  constructor(
    private readonly t: Test,
    readonly url: string,
    private readonly argv: readonly string[],
    private readonly database: string,
  ) {}

  async start(): Promise<void> {
    const argv = [DAYBOOK, ...this.argv, '--json', '--log-level', 'silent', '--db', this.database]
    const env = environment({ database: this.database, env: { EVENT_ADMIN_TOKEN: ADMIN_TOKEN } })
    this.#child = startChild(this.t, argv, { env })
    const line = await this.#child.line(0)
    if (!line?.includes('"ledger"')) throw new Error(`It did not start: ${line}\n${this.#child.err()}`)
  }

  async kill(): Promise<void> {
    this.#child?.signal('SIGKILL')
    await this.#child?.ended
  }

  /** @returns the answer; undefined while it is dead */
  async ask(path: string, body?: object): Promise<string | undefined> {
    const json = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    try {
      return await (await fetch(this.url + path, { headers: HEADERS, ...json })).text()
    } catch {
      return undefined
    }
  }

  async health(): Promise<Health> {
    return JSON.parse((await this.ask('/api/health')) ?? '{}') as Health
  }

  lines(): Promise<string | undefined> {
    return this.ask('/api/export?since=1970-01-01T00:00:00Z')
  }
}

t.test(
  'leader and follower have the same events after both were killed while senders post, repeat and erase',
  async t => {
    const random = seeded(SEED)
    const folder = ownFolder(t)
    const [leaderPort, followerPort] = [await freePort(), await freePort()]
    const at = (port: number) => `http://127.0.0.1:${port}`
    const serve = ['serve', '--only', 'ledger', '--port', String(leaderPort)]
    const follow = ['ledger', 'follow', at(leaderPort), '--port', String(followerPort)]
    const leader = new Program(t, at(leaderPort), serve, join(folder, 'leader.db'))
    const follower = new Program(t, at(followerPort), follow, join(folder, 'copy.db'))
    await leader.start()
    await follower.start()
    let isWriting = true
    const write = async () => {
      while (isWriting) {
        const ids = Array.from({ length: wholeNumber(random, 1, 20) }, () => wholeNumber(random, 1, KEYS))
        const notes = [...new Set(ids)].map(id => ({
          dedupe_key: `note:${id}`,
          kind: 'note.created',
          subject_type: 'note',
          subject_id: String(id),
          payload: { text: 'x'.repeat(wholeNumber(random, 0, 2_000)) },
        }))
        await leader.ask('/api/events', notes)
        if (random() < 0.2) await leader.ask('/api/erasures', { dedupe_key: `note:${ids[0]}`, reason: 'a test' })
        await sleep(5)
      }
    }
    const writers = [write(), write()]
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(wholeNumber(random, 100, 800))
      const killed = round % 2 === 0 ? follower : leader
      await killed.kill()
      await sleep(wholeNumber(random, 0, 500))
      await killed.start()
    }
    isWriting = false
    await Promise.all(writers)
    const { head_digest: digest } = await leader.health()
    t.match(digest, /^[0-9a-f]{64}$/)
    for (let isSame = false; !isSame; await sleep(50)) {
      const { head_digest, follows } = await follower.health()
      if (follows?.state === 'stopped') throw new Error('The follower has stopped.')
      isSame =
        head_digest === digest && follows?.lag_events === 0 && (await follower.lines()) === (await leader.lines())
    }
    const countsOf = async (program: Program) => JSON.parse((await program.ask('/api/stats')) ?? '').by_source
    t.same(await countsOf(follower), await countsOf(leader))

    await leader.kill()
    const database = join(folder, 'copy.db')
    const promoted = await startChild(t, [DAYBOOK, 'ledger', 'promote', '--json', '--db', database], {
      env: environment({ database }),
    }).ended
    t.match(promoted, { code: 0, out: new RegExp(`"head_digest":"${digest}"`) })
    t.match(
      await follower.ask('/api/events', [{ kind: 'note.created', subject_type: 'note', subject_id: 'new' }]),
      /"created":1/,
    )
  },
)
