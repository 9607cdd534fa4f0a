import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { problem, standIn } from '../client/stand-in.js'
import { documentedChat } from './documented-chat.js'
import { documentedDeliveries } from './documented-deliveries.js'
import { documentedRepository } from './documented-repository.js'
import { makeOlderLedger } from './older-ledger.js'
import { DEMO_PAGE, runCommands } from './page-commands.js'
import { PageShell } from './page-shell.js'
import { type Block, type Page, readPage, readPages } from './pages.js'
import { type Addresses, Reader } from './reader.js'

/** A line of a `console` block that starts the server, with the settings in front of it. */
const START = /^((?:[A-Z][A-Z0-9_]*=\S+ +)*)(?:npm ci && )?(?:npm start|daybook serve)(?:\s+#.*)?$/m

const PROGRAMS = ['curl', 'jq', 'openssl', 'sqlite3']
const missing = new Set(PROGRAMS.filter(program => spawnSync('which', [program]).status !== 0))

/** Prepares what a page assumes, in the home of the reader or elsewhere. @returns replaced addresses */
const GIVEN: Record<string, (t: Test, home: string) => Promise<Addresses>> = {
  'docs/how-to/move-an-older-ledger.md': async (_, home) => {
    makeOlderLedger(home)
    return {}
  },
  'docs/how-to/find-missed-deliveries.md': async t => ({ 'https://api.github.com': await documentedDeliveries(t) }),
  'docs/how-to/watch-a-chat-topic.md': async t => ({ 'https://chat.example.org': await documentedChat(t) }),
  'docs/how-to/record-what-happened-before.md': async t => ({
    'https://git.example.org': await documentedRepository(t),
  }),
  'docs/how-to/watch-without-webhooks.md': async t => ({ 'https://git.example.org': await documentedRepository(t) }),
}

// Every page has its own server, which takes time on a busy machine.
t.setTimeout(600_000)

for (const page of readPages()) {
  if (page.path === DEMO_PAGE || page.blocks.every(({ language }) => language !== 'sh')) continue
  t.test(`the commands of ${page.path} work as printed`, skipWithout(missingPrograms(page)), async t => {
    const home = ownFolder(t)
    const reader = new Reader(t, home, await GIVEN[page.path]?.(t, home))
    if (!page.blocks.some(block => startOf(block))) await reader.startServer('')
    await runCommands(t, page, {
      reader,
      before: async block => {
        const start = startOf(block)
        if (start) await reader.startServer(start[1] ?? '')
      },
    })
  })
}

const tutorial = readPage('docs/tutorial.md')
t.test(
  'the consumer of the tutorial continues after a busy server',
  skipWithout(missingPrograms(tutorial)),
  async t => {
    const next_since = '2031-05-04T09:00:00.123456Z'
    const page = { items: [{ dedupe_key: 'demo:1', conversation: { title: 'Login fails' } }], next_since }
    const server = await standIn(t, () => (server.arrived.length === 1 ? problem(503, 'busy') : { body: page }))
    const home = ownFolder(t)
    const script = tutorial.blocks.find(({ text }) => text.includes('cat > consume.sh'))?.text ?? 'false'
    const { ok, err } = await new PageShell(t, home).run(script, { EVENT_API_URL: server.url })
    t.ok(ok, 'the script ends well', { err })
    t.equal(readFileSync(join(home, 'work/checkpoint'), 'utf8'), `${next_since}\n`)
    t.equal(readFileSync(join(home, 'work/issues.txt'), 'utf8'), 'demo:1\tLogin fails\n')
  },
)

function startOf({ language, text }: Block): RegExpExecArray | null {
  return language === 'console' ? START.exec(text) : null
}

function missingPrograms({ blocks }: Page): string[] {
  const scripts = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
  const used = PROGRAMS.filter(program => scripts.some(script => new RegExp(`\\b${program} `).test(script)))
  return used.filter(program => missing.has(program))
}

/** If a program is missing, the test is skipped and reported; in CI it fails. */
function skipWithout(missing: readonly string[]): { skip?: string } {
  if (missing.length === 0) return {}
  const reason = `not installed: ${missing.join(', ')}`
  if (process.env.CI === 'true') throw new Error(`The commands of this page need programs that are ${reason}.`)
  console.error(`\n*** SKIPPED: ${reason}. ***\n`)
  return { skip: `SKIPPED: ${reason}` }
}
