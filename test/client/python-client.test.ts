import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readTimestamp } from '../../src/model/timestamp.js'
import { hasPython } from '../black-box/killed-consumers.js'
import { message } from '../server/serve.js'
import { until } from '../support/until.js'
import { openServed, restoredCopy, switchableLedger } from './switchable-ledger.js'

const CLIENT = fileURLToPath(new URL('../../../clients/python/', import.meta.url))
const PROGRAM = `
import signal, sys
from daybook import Daybook, NotNow
ledger = Daybook(sys.argv[1])
signal.signal(signal.SIGTERM, lambda *_: ledger.stop())
away = True
def handle(event):
    global away
    subject = event["subject_id"]
    if subject == "1" and away:
        away = False
        raise NotNow("the database is away", 0.01)
    if subject == "2":
        raise ValueError("no such user")
    print(subject, flush=True)
def report(sentence):
    print("reports:", sentence, flush=True)
ledger.consume("work", handle, start="beginning", retries=0, on_failure="dead-letter", report=report)
print("ended", flush=True)
`
const ENV = { PATH: process.env.PATH, PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' }
const missing = hasPython() ? {} : { skip: 'python3 is missing' }
if ('skip' in missing && process.env.CI === 'true') throw new Error('python3 is missing.')

t.test(
  'a Python consumer gives up failing events, waits through an outage, continues in a restored ledger, and ends',
  missing,
  async t => {
    const { url, show } = await switchableLedger(t)
    const before = await openServed(t)
    show(before.handler)
    await before.record(1, 2, 3)
    const child = spawn('python3', ['-c', PROGRAM, url], { env: ENV, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    t.teardown(async () => {
      child.kill('SIGKILL')
      await ended
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      out += text
    })
    const lines = () => out.split('\n').slice(0, -1)
    await until(() => lines().length === 2)
    t.same(lines(), ['3', '1'], 'another subject does not wait')
    const lag = async () => (await before.request('/api/consumers/work')).body.lag as { events: number }
    while ((await lag()).events > 0) {}
    t.match((await before.request('/api/consumers/work/dead-letters')).body, {
      items: [{ dedupe_key: /2$/, attempts: 1, error: 'ValueError: no such user' }],
    })
    const copy = await restoredCopy(t, before.store)

    show(undefined)
    await until(() => lines().length === 3)
    await before.record(4)
    show(before.handler)
    await until(() => lines().length === 5)
    t.match(lines().slice(2).sort(), ['4', 'reports: Continuing.', /^reports: No server answers at .* Waiting\.$/])

    const restored = await openServed(t, copy)
    await restored.record(5)
    show(restored.handler)
    await until(() => lines().at(-1) === '5')
    t.ok(lines().includes('reports: The ledger was restored or replaced. Continuing at the checkpoint that it has.'))
    while ((await restored.request('/api/consumers/work')).body.lag === undefined) {}
    child.kill('SIGTERM')
    t.same(await ended, [0, null])
    t.equal(lines().at(-1), 'ended')
    t.match((await restored.request('/api/consumers/work')).body, { lag: { events: 0 }, leased_until: null })
  },
)

t.test('a Python consumer reports a retried dead letter whose event was removed', missing, async t => {
  const { url, record, ledger, request, post } = await openServed(t)
  await record(1)
  const program = `
import sys
from daybook import Daybook
def handle(event):
    raise ValueError("no such user")
def report(sentence):
    print(sentence)
Daybook(sys.argv[1]).consume("work", handle, start="beginning", retries=0, on_failure="dead-letter", report=report, once=True)
`
  const consume = async () => {
    const child = spawn('python3', ['-c', program, url], { env: ENV, stdio: ['ignore', 'pipe', 'inherit'] })
    return (await child.stdout.setEncoding('utf8').toArray()).join('')
  }
  t.equal(await consume(), '')
  const path = '/api/consumers/work/dead-letters'
  const [letter] = (await request(path)).body.items as { id: number; captured_at: string }[]
  const { micros } = readTimestamp('captured_at', String(letter?.captured_at))
  await ledger.erasures.prune(micros, { reason: 'old', by: 'test', count: 1 })
  await post(`${path}/retry`, '')
  t.match(await consume(), `The event of dead letter ${letter?.id} was removed.`)
  // The entry of the removal is an event too, and fails.
  t.match((await request(path)).body, { count: 1, items: [{ dedupe_key: /^ledger:erased:/ }] })
})

t.test('a Python consumer that is deleted while it runs is created again with its filters', missing, async t => {
  const { url, post, record, request } = await openServed(t)
  await request('/api/consumers/work', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ filters: { kind: 'message.created' }, position: 'beginning' }),
  })
  await post('/api/events', { ...message(1), kind: 'message.deleted' })
  await record(2)
  const program = `
import sys, urllib.request
from daybook import Daybook
ledger = Daybook(sys.argv[1])
got = []
def handle(event):
    got.append(event["subject_id"])
    if len(got) == 1:
        urllib.request.urlopen(urllib.request.Request(sys.argv[1] + "/api/consumers/work", method="DELETE"))
    else:
        ledger.stop()
ledger.consume("work", handle, start="beginning")
print(got)
`
  const child = spawn('python3', ['-c', program, url], { env: ENV, stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => child.kill('SIGKILL'))
  t.equal((await text(child.stdout)).trim(), "['2', '2']")
  t.match((await request('/api/consumers/work')).body, { filters: { kind: ['message.created'] } })
})

t.test('an invalid option of the Python client is reported before any request', missing, async t => {
  const program = `
from daybook import Daybook
def check(handle=print, token=None, url="http://127.0.0.1:9", **options):
    try:
        Daybook(url, token).consume("x", handle, once=True, **options)
    except (TypeError, ValueError) as error:
        print(error)
for options in {"batch": 0}, {"batch": 2.5}, {"concurrency": 0}, {"concurrency": None}, {"retries": -1}, {"key": "foo"}, {"handle": None}, {"token": "tok_…"}, {"token": "tok\\n_1"}, {"url": "http://:secret@127.0.0.1:9"}:
    check(**options)
`
  const { stdout } = spawnSync('python3', ['-c', program], { env: ENV, encoding: 'utf8' })
  t.match(stdout.split('\n'), [
    /^batch/,
    /^batch/,
    /^concurrency/,
    /^concurrency/,
    /^retries/,
    /\bkey\b/,
    /^handle/,
    /^token[^_]+$/,
    /^token[^_]+$/,
    /^url .* without user name/,
    '',
  ])
})

t.test('a function of a Python consumer may change its events', missing, async t => {
  const { url, record, request } = await openServed(t)
  await record(1, 2, 3)
  const program = `
import sys
from daybook import Daybook
def handle(event):
    subject = event["subject_id"]
    event.clear()
    print(subject)
    if subject == "2":
        raise ValueError("broken")
Daybook(sys.argv[1]).consume("work", handle, start="beginning", key=lambda event: event["source"], retries=0,
                             on_failure="dead-letter", once=True)
`
  const child = spawn('python3', ['-c', program, url], { env: ENV, stdio: ['ignore', 'pipe', 'inherit'] })
  t.equal((await child.stdout.setEncoding('utf8').toArray()).join(''), '1\n2\n3\n')
  t.match((await request('/api/consumers/work/dead-letters')).body, { items: [{ dedupe_key: /2$/ }] })
})

t.test('a Python consumer waits out an outage of many hours', missing, async t => {
  const program = `
from daybook import Daybook
ledger, waits = Daybook("http://127.0.0.1:9"), []
def sleep(seconds):
    waits.append(seconds)
    if len(waits) == 5000:
        ledger.stop()
ledger._sleep = sleep
ledger.consume("work", print, report=print)
print(len(waits), min(waits[100:]) >= 5 and max(waits) <= 10)
`
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { env: ENV, encoding: 'utf8' })
  t.match(stdout.split('\n'), [/^No server answers at .* Waiting\.$/, '5000 True', ''], stderr)
})

t.test('an address without a port gets the port of its scheme, also with a literal IPv6 address', missing, async t => {
  const program = `
import sys
from daybook import Daybook
for url in sys.argv[1:]:
    connection = Daybook(url)._connect()
    print(connection.host, connection.port)
`
  const urls = ['http://[::1]', 'https://[2001:db8::2]/ledger', 'http://[::1]:8765', 'https://ledger.example.org']
  const { stdout } = spawnSync('python3', ['-c', program, ...urls], { env: ENV, encoding: 'utf8' })
  t.same(stdout.split('\n').slice(0, -1), ['::1 80', '2001:db8::2 443', '::1 8765', 'ledger.example.org 443'])
})
