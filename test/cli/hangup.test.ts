import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { serveHere } from '../runtime/serve/serve-here.js'
import { CHEAP_START } from '../support/cheap-start.js'
import { testFolder } from '../support/test-folder.js'

const DAYBOOK = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))
/** Runs a program at a terminal, closes it once the program has printed a word, and prints how the program ended. */
const TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
printed = b""
while sys.argv[1].encode() not in printed:
    printed += os.read(terminal, 4096)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`
const BY_SIGHUP = '-1\n'
const isThere = spawnSync('python3', ['--version']).status === 0
if (!isThere && process.env.CI === 'true') throw new Error('python3 is missing.')
const missing = isThere ? {} : { skip: 'python3 is missing' }

function closeTerminalAt(word: string, { argv, env }: { argv: readonly string[]; env: Record<string, string> }) {
  const daybook = [process.execPath, ...CHEAP_START, DAYBOOK, ...argv]
  const child = spawn('python3', ['-c', TERMINAL, word, ...daybook], {
    env: { PATH: process.env.PATH, TERM: 'dumb', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return text(child.stdout)
}

/** Runs a program without a terminal, and sends it signals once it has printed a word. @returns the signal that ended it */
async function signalsAt(
  word: string,
  { argv, env, signals }: { argv: readonly string[]; env: Record<string, string>; signals: readonly NodeJS.Signals[] },
) {
  const child = spawn(process.execPath, [...CHEAP_START, DAYBOOK, ...argv], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  await Promise.race([child.stdout, child.stderr].map(stream => printed(stream, word)))
  for (const signal of signals) {
    child.kill(signal)
    // Two that arrive together are handled in the order of their numbers.
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  const [, endedBy] = await ended
  return endedBy
}

function printed(stream: Readable, word: string): Promise<void> {
  let all = ''
  return new Promise(resolve => {
    stream.setEncoding('utf8').on('data', text => {
      all += text
      if (all.includes(word)) resolve()
    })
  })
}

const demosIn = (folder: string) => readdirSync(folder).filter(name => name.startsWith('daybook-demo-'))
/** Without the ledger, whose history takes seconds to build. */
const DEMO = ['serve', '--demo', '--only', 'board', '--port', '0']

t.test('a demo whose terminal is closed ends, and deletes its data', missing, async t => {
  const folder = testFolder(t)
  t.equal(await closeTerminalAt('Ctrl+C', { argv: DEMO, env: { HOME: folder, TMPDIR: folder } }), BY_SIGHUP)
  t.same(demosIn(folder), [])
})

/** A ledger with one event. */
async function serveEvent(t: Test) {
  const home = testFolder(t)
  const { url } = await serveHere(t, { home, only: 'ledger' })
  const event = JSON.stringify({ kind: 'a.b', subject_type: 'x', subject_id: '1' })
  await fetch(`${url}/api/events`, { method: 'POST', body: event, headers: { 'content-type': 'application/json' } })
  return { home, url }
}

t.test('a consumer whose terminal is closed finishes and acknowledges its work', missing, async t => {
  const { home, url } = await serveEvent(t)
  const work = 'cat > /dev/null; echo begun >&2; sleep 1; echo no terminal takes this >&2; sleep 0.2'
  const argv = ['consume', 'mail', '--from', 'beginning', '--exec', work]
  t.equal(await closeTerminalAt('begun', { argv, env: { HOME: home, EVENT_API_URL: url } }), BY_SIGHUP)
  t.match(await (await fetch(`${url}/api/consumers/mail`)).json(), { lag: { events: 0 } })
})

t.test('a hangup does not interrupt the shutdown after another signal', async t => {
  const { home, url } = await serveEvent(t)
  const argv = ['consume', 'mail', '--from', 'beginning', '--exec', 'cat > /dev/null; echo begun >&2; sleep 1.5']
  const env = { HOME: home, EVENT_API_URL: url }
  t.equal(await signalsAt('begun', { argv, env, signals: ['SIGINT', 'SIGHUP', 'SIGHUP'] }), 'SIGHUP')
  t.match(await (await fetch(`${url}/api/consumers/mail`)).json(), { lag: { events: 0 } })
})
