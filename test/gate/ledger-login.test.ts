import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { askSession } from '../../src/client/ask-session.js'
import { createLedgerLogin } from '../../src/gate/ledger-login.js'

const TOKEN = 'x'.repeat(43)
const SESSION = { authenticated: true, user: { id: 'user_1', username: 'ada', role: 'member' }, csrf_token: 'c' }

/** A server in place of the ledger, whose answer is `answer`. */
async function startLedger(t: Test) {
  const ledger = {
    answer: {} as { status?: number; headers?: Record<string, string>; body: string },
    asked: [] as unknown[],
  }
  const server = createServer(({ method, url, headers }, res) => {
    ledger.asked.push({ method, url, cookie: headers.cookie, authorization: headers.authorization })
    const { status = 200, headers: sent = {}, body } = ledger.answer
    res.writeHead(status, sent).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const reported: unknown[] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const find = createLedgerLogin({
    askLedger: cookie => askSession(`${url}/books`, cookie),
    report: error => reported.push(error),
  })
  return { ledger, find, reported, url }
}

t.test('a ledger cookie is sent to the ledger only, and identifies its user', async t => {
  const { ledger, find, reported } = await startLedger(t)
  ledger.answer = { body: JSON.stringify(SESSION) }
  const cookies = `board_session=b; event_session=${TOKEN}; other=o`
  t.match(await find(cookies), { username: 'ada', csrfToken: /^[\w-]{43}$/ })
  await find(`event_session=old; __Host-event_session=${TOKEN}`)
  const asked = { method: 'GET', url: '/books/api/session', authorization: undefined }
  t.same(ledger.asked, [
    { ...asked, cookie: `event_session=${TOKEN}` },
    { ...asked, cookie: `__Host-event_session=${TOKEN}` },
  ])
  t.same(reported, [])
})

t.test('no request to the ledger is made for a value that cannot be its cookie', async t => {
  const { ledger, find } = await startLedger(t)
  ledger.answer = { body: JSON.stringify(SESSION) }
  const values = [
    '',
    'x',
    `${TOKEN}x`,
    `"${TOKEN}"`,
    `${TOKEN.slice(1)}\r`,
    `${TOKEN}; event_session=${'y'.repeat(43)}`,
  ]
  for (const value of values) t.equal(await find(`event_session=${value}`), undefined, value)
  for (const cookies of [undefined, '', `Event_Session=${TOKEN}`, `xevent_session=${TOKEN}`]) {
    t.equal(await find(cookies), undefined, String(cookies))
  }
  t.same(ledger.asked, [])
})

t.test(
  'only the answer of a live session is a login; an unusable answer is reported once until the next usable one',
  async t => {
    const { ledger, find, reported, url } = await startLedger(t)
    const cookies = `event_session=${TOKEN}`
    const none = [
      { ...SESSION, authenticated: false },
      { ...SESSION, authenticated: 'true' },
      { ...SESSION, csrf_token: null },
      { ...SESSION, user: null },
      { ...SESSION, user: { username: 7 } },
      { ...SESSION, user: 'ada' },
      { authenticated: true },
      [],
      null,
      7,
    ]
    for (const answer of none) {
      ledger.answer = { body: JSON.stringify(answer) }
      t.equal(await find(cookies), undefined, JSON.stringify(answer))
    }
    t.same(reported, [], 'a user who is not logged in is not a failure of the ledger')
    const unusable = [
      { status: 500, body: JSON.stringify(SESSION) },
      { status: 302, headers: { location: `${url}/elsewhere` }, body: JSON.stringify(SESSION) },
      { body: '<!doctype html>' },
      { body: JSON.stringify({ ...SESSION, padding: 'x'.repeat(20_000) }) },
    ]
    for (const answer of unusable) {
      ledger.answer = answer
      t.equal(await find(cookies), undefined, answer.body.slice(0, 20))
      t.equal(await find(cookies), undefined)
      t.equal(reported.length, 1)
      t.notMatch(String(reported.pop()), TOKEN)
      ledger.answer = { body: JSON.stringify(SESSION) }
      t.match(await find(cookies), { username: 'ada' })
    }
    t.notOk(
      ledger.asked.some(asked => JSON.stringify(asked).includes('elsewhere')),
      'no redirect is followed',
    )
  },
)

t.test(
  'while invented cookies wait for the ledger, more of them are refused as busy, and users are still found',
  async t => {
    const answers: (() => void)[] = []
    const reported: unknown[] = []
    const find = createLedgerLogin({
      askLedger: async cookie => {
        if (cookie.endsWith(TOKEN)) return SESSION
        await new Promise<void>(resolve => answers.push(resolve))
        return { authenticated: false }
      },
      report: error => reported.push(error),
    })
    const findInvented = (number: number) => find(`event_session=${String(number).padStart(43, '0')}`)
    t.match(await find(`event_session=${TOKEN}`), { username: 'ada' })
    const waiting = Array.from({ length: 64 }, (_, number) => findInvented(number))
    await t.rejects(findInvented(64), { category: 'unavailable', code: 'busy', retryAfterSeconds: 1 })
    t.match(await find(`event_session=${TOKEN}`), { username: 'ada' })
    for (const answer of answers) answer()
    t.ok((await Promise.all(waiting)).every(session => session === undefined))
    t.same(reported, [])
  },
)

t.test('a cookie whose session has ended counts as an invented one', async t => {
  const { ledger, find } = await startLedger(t)
  ledger.answer = { body: JSON.stringify(SESSION) }
  t.match(await find(`event_session=${TOKEN}`), { username: 'ada' })
  ledger.answer = { body: JSON.stringify({ ...SESSION, authenticated: false }) }
  t.equal(await find(`event_session=${TOKEN}`), undefined)
  const found = await Promise.allSettled(Array.from({ length: 70 }, () => find(`event_session=${TOKEN}`)))
  t.equal(found.filter(({ status }) => status === 'rejected').length, 6)
})
