import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Daybook } from '../../src/client/library/index.js'
import { hasPython } from '../black-box/killed-consumers.js'
import { ownFolder } from '../black-box/own-folder.js'
import { type ServerHere, serveHere } from '../runtime/serve/serve-here.js'
import { PageShell } from './page-shell.js'
import { ROOT, readPage } from './pages.js'

/** Larger than any page of smaller events. */
const LARGE_BYTES = 17_000_000
/** An argument has at most 128 KiB on Linux. */
const OVER_AN_ARGUMENT_BYTES = 1_000_000
const HEADERS = { 'x-github-event': 'issues', 'x-github-delivery': 'd-1' }

/** An issue as a code host sends it. */
function largeIssue(bodyBytes: number): string {
  return JSON.stringify({
    action: 'opened',
    issue: {
      id: 1,
      number: 7,
      title: 'A very long log',
      body: 'x'.repeat(bodyBytes),
      created_at: '2031-05-04T09:00:00Z',
      html_url: 'https://github.com/ada/engine/issues/7',
      user: { id: 17, login: 'ada', type: 'User' },
    },
    repository: { id: 70010, full_name: 'ada/engine', html_url: 'https://github.com/ada/engine' },
    sender: { id: 17, login: 'ada', type: 'User' },
  })
}

function deliver({ url }: ServerHere, body: string): Promise<Response> {
  return fetch(`${url}/webhooks/code_a`, { method: 'POST', headers: HEADERS, body })
}

t.test('the consumers of the tutorial, the command and the clients process an event of 17 MB', async t => {
  const home = ownFolder(t)
  const server = await serveHere(t, { home })
  const answer = await deliver(server, largeIssue(LARGE_BYTES))
  t.match(await answer.json(), { created: 1 })

  const shell = new PageShell(t, home)
  const { blocks } = readPage('docs/tutorial.md')
  const written = (name: string) => blocks.filter(({ text }) => text.includes(`cat > ${name} <<`))
  const [first, ...later] = written('work.sh')
  t.equal(later.length, 1, 'the tutorial writes its work twice: as it begins, and once for each key')
  // The second version of the work: the block up to the end of its file.
  const second = later[0]?.text.split(/^END$/m)[0]
  for (const script of [first?.text, `${second}END\nrm -f checkpoint issues.txt\ntouch issues.txt\n./consume.sh`]) {
    const { ok, err } = await shell.run(script ?? 'false', { EVENT_API_URL: server.url })
    t.ok(ok, 'the script ends well', { err })
    const work = join(home, 'work')
    t.match(readFileSync(join(work, 'issues.txt'), 'utf8'), /^code_a:github.com:issue:1:created\t.*A very long log\n$/)
    t.not(readFileSync(join(work, 'checkpoint'), 'utf8').trim(), '', 'the checkpoint moved')
    writeFileSync(join(work, 'issues.txt'), '')
  }

  const consume = `daybook consume large --exec 'wc -c > shell' --from beginning --once
python3 -c '
from daybook import Daybook
import json, os
def note(event):
    open("python", "w").write(str(len(json.dumps(event))))
Daybook(os.environ["EVENT_API_URL"]).consume("python", note, start="beginning", once=True)'`
  const variables = {
    EVENT_API_URL: server.url,
    PYTHONPATH: join(ROOT, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const { ok, err } = await shell.run(hasPython() ? consume : (consume.split('\n')[0] ?? ''), variables)
  t.ok(ok, 'the consumers end well', { err })
  const sizes = ['shell', ...(hasPython() ? ['python'] : [])].map(name =>
    Number(readFileSync(join(home, 'work', name), 'utf8')),
  )
  const handle = (event: object) => sizes.push(JSON.stringify(event).length)
  await new Daybook({ url: server.url }).consume('typescript', { handle, from: 'beginning', once: true })
  for (const size of sizes) t.ok(size > LARGE_BYTES, String(size))
})

t.test(
  'the loop around `api events --follow` processes an event that is larger than an argument, and saves its checkpoint',
  async t => {
    const home = ownFolder(t)
    const server = await serveHere(t, { home })
    await deliver(server, largeIssue(OVER_AN_ARGUMENT_BYTES))
    const { blocks } = readPage('docs/how-to/consume-by-checkpoint.md')
    const loop = blocks.find(({ text }) => text.includes('--follow'))?.text.replace('build.*', 'issue.*')
    // The work fails the first time, and the loop is left as soon as the checkpoint has moved.
    const work = '#!/bin/sh\nwc -c >> sizes\ntest "$(wc -l < sizes)" = 2\n'
    const script = `cat > work.sh <<'END'
${work}END
chmod +x work.sh
echo 1970-01-01T00:00:00Z > checkpoint
(${loop}) &
until ! grep -q 1970 checkpoint; do sleep 0.1; done`
    const { ok, err } = await new PageShell(t, home).run(script, { EVENT_API_URL: server.url })
    t.ok(ok, 'the checkpoint moves', { err })
    const sizes = readFileSync(join(home, 'work/sizes'), 'utf8').trim().split('\n').map(Number)
    t.equal(sizes.length, 2, 'work that failed is done again')
    t.ok(
      sizes.every(size => size > OVER_AN_ARGUMENT_BYTES),
      'with the whole event',
    )
  },
)
