import t from 'tap'
import { message, serve } from '../serve.js'

const at = (microsecond: number) => `2031-05-04T09:00:00.${String(microsecond).padStart(6, '0')}Z`

t.test('a checkpoint that the ledger has not reached is refused wherever events are read', async t => {
  const { post, request } = await serve(t)
  await post('/api/events', [message('1'), message('2')])
  const asked: [string, Record<string, string>?][] = [
    [`/api/events?since=${at(3)}`],
    [`/api/events?since=${at(3)}&wait=30`],
    [`/api/events?since=${at(3)}&order=desc&source=chat`],
    [`/api/events?since=${at(3)}&to=${at(9)}`],
    [`/api/export?since=${at(3)}`],
    [`/api/export?since=${at(3)}&format=csv`],
    [`/api/stream?since=${at(3)}`],
    ['/api/stream', { 'Last-Event-ID': at(3) }],
  ]
  for (const [path, headers = {}] of asked) {
    const { status, body } = await request(path, { headers })
    t.match({ status, code: body.code }, { status: 409, code: 'ahead_of_ledger' }, path)
    t.match(body.detail, new RegExp(`${at(3)}.*${at(2)}.*Begin again`, 's'), path)
  }
})

t.test('a checkpoint at the newest event is normal', async t => {
  const { post, request } = await serve(t)
  await post('/api/events', [message('1'), message('2')])
  t.match(await request(`/api/events?since=${at(2)}`), { status: 200, body: { count: 0, next_since: at(2) } })
  t.match(await request(`/api/events?since=${at(2)}&wait=1`), { status: 200, body: { count: 0 } })
  t.match(await request(`/api/export?since=${at(2)}`), { status: 200, text: '' })
})

t.test('a consumer may begin in an empty ledger with any checkpoint', async t => {
  const { request } = await serve(t)
  t.match(await request(`/api/events?since=${at(3)}`), {
    status: 200,
    body: { count: 0, next_since: at(3), head: null },
  })
})
