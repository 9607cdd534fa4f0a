import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createTerminalStyle } from '../../src/cli/terminal/style.js'
import { serveBanner } from '../../src/cli/views/serve-banner.js'
import { ownFolder } from '../black-box/own-folder.js'
import { runDaybook, startDaybook, until } from '../commands/run-daybook.js'
import { DEMO_PAGE, runCommands } from '../docs/page-commands.js'
import { readPage } from '../docs/pages.js'
import { Reader } from '../docs/reader.js'

const ARGV = ['serve', '--demo', '--port', '0', '--log-level', 'silent']

async function get(url: string) {
  const response = await fetch(url)
  // biome-ignore lint/suspicious/noExplicitAny: what is read of it is what is tested
  return { status: response.status, body: (await response.json()) as any }
}

t.test(
  'a demo is live immediately, identifies itself, runs the commands of its page, and changes and leaves no files',
  async t => {
    const home = t.testdir({ real: {} })
    const env = {
      TMPDIR: ownFolder(t),
      EVENT_DB: join(home, 'real', 'events.db'),
      EVENT_ADMIN_TOKEN: 'not looked at',
      EVENT_HOST: '0.0.0.0',
      BOARD_HOME: join(home, 'real'),
    }
    const { child, run, ended } = startDaybook(t, [...ARGV, '--json'], { env })
    await until(() => run.out.includes('\n') || run.err.includes('\n'))
    const { ledger, board, database, demo } = JSON.parse(run.out)
    t.equal(demo, true)
    t.match(ledger, /^http:\/\/127\.0\.0\.1:\d+$/)
    t.match(board, /^http:\/\/127\.0\.0\.1:\d+$/)
    const folder = dirname(dirname(database))
    t.equal(dirname(folder), env.TMPDIR)
    t.equal(statSync(folder).mode & 0o777, 0o700)

    t.match(await get(`${ledger}/api/health`), { status: 200, body: { status: 'ok', demo: true, database } })
    const { body: stats } = await get(`${ledger}/api/stats`)
    t.ok(stats.event_count > 3_000)
    t.ok(stats.duplicate_count > 50)
    t.same(Object.keys(stats.by_source).sort(), ['chat', 'code_a', 'code_b', 'forum'])
    t.match((await get(`${ledger}/api/events?q=marquee&source=forum&limit=5`)).body, { count: 5 })
    const { body: subscriptions } = await get(`${ledger}/api/subscriptions`)
    t.match(
      subscriptions.items.find(({ id }: { id: string }) => id === 'demo-lost-property'),
      { capture: { last_error: String, next_due_at: String } },
    )

    for (const page of [ledger, board]) t.match(await (await fetch(`${page}/`)).text(), /<html[^>]* data-demo/)

    const { body: cards } = await get(`${board}/api/cards`)
    t.ok(cards.count > 5)
    for (const { links } of cards.items) {
      t.match(await get(`${ledger}/api/events/${encodeURIComponent(links[0])}`), { status: 200 })
    }

    const { body: newest } = await get(`${ledger}/api/events?limit=1`)
    const next = `${ledger}/api/events?since=${encodeURIComponent(newest.next_since)}&wait=50`
    t.match(await get(next), { status: 200, body: { items: [{ captured_at: String }] } }, 'and more events come')

    const reader = new Reader(t, ownFolder(t))
    reader.useServer({ ledger, board })
    await runCommands(t, readPage(DEMO_PAGE), { reader })

    child.kill('SIGTERM')
    t.match(await ended, { code: 0, err: '' })
    t.same(readdirSync(env.TMPDIR), [])
    t.same(readdirSync(join(home, 'real')), [])
  },
)

t.test('what a demo prints at a terminal identifies it', async t => {
  const style = createTerminalStyle({ colour: false, columns: 100 })
  t.match(
    serveBanner({ program: 'daybook', isDemo: true }, style),
    /^Daybook shows a demo: sample events in a throwaway ledger\./,
  )
})

t.test('a demo refuses flags that name a real ledger or admit other machines', async t => {
  for (const flags of [['--db', 'x.db'], ['--host', '0.0.0.0'], ['--allow-open'], ['--capture']]) {
    t.match(await runDaybook(t, ['serve', '--demo', ...flags]), { code: 2, out: '', err: /--demo/ }, flags.join(' '))
  }
})
