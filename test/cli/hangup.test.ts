import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
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

t.test('a demo whose terminal is closed ends, and deletes its data', missing, async t => {
  const folder = testFolder(t)
  const argv = ['serve', '--demo', '--port', '0', '--board-port', '0']
  t.equal(await closeTerminalAt('Ctrl+C', { argv, env: { HOME: folder, TMPDIR: folder } }), BY_SIGHUP)
  t.same(
    readdirSync(folder).filter(name => name.startsWith('daybook-demo-')),
    [],
  )
})

t.test('a consumer whose terminal is closed finishes and acknowledges its work', missing, async t => {
  const home = testFolder(t)
  const { url } = await serveHere(t, { home, only: 'ledger' })
  const event = JSON.stringify({ kind: 'a.b', subject_type: 'x', subject_id: '1' })
  await fetch(`${url}/api/events`, { method: 'POST', body: event, headers: { 'content-type': 'application/json' } })
  const work = 'cat > /dev/null; echo begun >&2; sleep 1; echo no terminal takes this >&2; sleep 0.2'
  const argv = ['consume', 'mail', '--from', 'beginning', '--exec', work]
  t.equal(await closeTerminalAt('begun', { argv, env: { HOME: home, EVENT_API_URL: url } }), BY_SIGHUP)
  t.match(await (await fetch(`${url}/api/consumers/mail`)).json(), { lag: { events: 0 } })
})
