import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testFolder } from '../../support/test-folder.js'
import { type Answer, serveCards } from './serve-cards.js'

const header = ({ headers }: Answer, name: string) => headers.get(name)

t.test('a card is created, read, changed and deleted, each time with its tag', async t => {
  const { ask } = await serveCards(t)
  const made = await ask('POST', '/api/cards', { title: 'One' })
  t.match(made, { status: 201, body: { title: 'One', version: 1 } })
  t.equal(header(made, 'etag'), '"1"')
  const path = `/api/cards/${made.body.id}`
  t.equal(header(made, 'location'), `/team${path}`)
  const read = await ask('GET', path)
  t.match(read, { status: 200, body: made.body })
  const changed = await ask('PATCH', path, { column: 'doing' }, { 'if-match': '"1"' })
  t.match(changed, { status: 200, body: { column: 'doing', version: 2 } })
  t.equal(header(changed, 'etag'), '"2"')
  t.match(await ask('PATCH', path, { title: 'Late' }, { 'if-match': '"1"' }), {
    status: 412,
    body: { code: 'version_conflict', detail: /version 2 now/ },
  })
  t.match(await ask('PATCH', path, { title: 'Late' }, { 'if-match': 'late' }), { status: 400 })
  t.match(await ask('DELETE', path, undefined, { 'if-match': '"1"' }), { status: 412 })
  t.match(await ask('DELETE', path, undefined, { 'if-match': '"2"' }), { status: 204, text: '' })
  t.match(await ask('GET', path), { status: 404, body: { code: 'not_found' } })
})

t.test('a version that the client has is not sent again', async t => {
  const { ask } = await serveCards(t)
  const { body } = await ask('POST', '/api/cards', { title: 'One' })
  const path = `/api/cards/${body.id}`
  const known = await ask('GET', path, undefined, { 'if-none-match': 'W/"1"' })
  t.match(known, { status: 304, text: '' })
  t.equal(header(known, 'etag'), '"1"')
  t.match(await ask('GET', path, undefined, { 'if-none-match': '"2"' }), { status: 200 })
  t.match(await ask('HEAD', path), { status: 200, text: '' })
})

t.test('cards are listed by filters and pages', async t => {
  const { ask } = await serveCards(t)
  for (const title of ['a', 'b', 'c']) await ask('POST', '/api/cards', { title, labels: ['l & m', title] })
  t.match(await ask('GET', '/api/cards?label=l+%26+m&limit=2'), { status: 200, body: { count: 2, next: 2 } })
  t.match(await ask('GET', '/api/cards?after=2'), { body: { items: [{ title: 'c' }], next: null } })
  t.match(await ask('GET', '/api/cards?label=b&column=backlog'), { body: { items: [{ title: 'b' }], count: 1 } })
  t.match(await ask('GET', '/api/cards?column=nowhere'), { body: { items: { length: 0 }, count: 0 } })
  t.match(await ask('GET', '/api/cards?assignee=%00'), { body: { count: 0 } })
})

t.test('invalid parameters are refused by name', async t => {
  const { ask } = await serveCards(t)
  const cases = [
    ...[
      'limit=0',
      'limit=501',
      'limit=1.5',
      'limit=',
      'after=-1',
      'after=x',
      'label=',
      'column=%ff',
      'limit=1&limit=2',
    ],
    ...['label=a&label=b', 'q=x', 'Column=a', `label=${'x'.repeat(2_000)}`],
  ]
  for (const query of cases) {
    const field = query.slice(0, query.indexOf('='))
    t.match(await ask('GET', `/api/cards?${query}`), { status: 400, body: { errors: [{ field }] } }, query.slice(0, 30))
  }
})

t.test('invalid bodies are refused', async t => {
  const { ask } = await serveCards(t)
  const { body } = await ask('POST', '/api/cards', { title: 'One' })
  for (const [method, path] of [
    ['POST', '/api/cards'],
    ['PATCH', `/api/cards/${body.id}`],
  ] as const) {
    const unknown = await ask(method, path, { title: 'x', colour: 'red' })
    t.match(unknown, { status: 400, body: { code: 'invalid_field', errors: [{ field: '/colour' }] } })
    t.match(await ask(method, path, '{"title":'), { status: 400, body: { code: 'invalid_json' } })
    t.match(await ask(method, path, 'title=x', { 'content-type': 'text/plain' }), { status: 415 })
    t.match(await ask(method, path, { title: 'x', body: 'y'.repeat(1024 * 1024) }), { status: 413 })
    t.match(await ask(method, path, { title: 'x', body: 'y'.repeat(70_000) }), { status: 400 })
  }
  for (const id of ['%zz', '%00', '..%2f..', '__proto__', 'x'.repeat(5_000)]) {
    const { status } = await ask('DELETE', `/api/cards/${id}`)
    t.ok([400, 404].includes(status), `${id.slice(0, 20)} ${status}`)
  }
  t.match(await ask('GET', '/api/cards'), { body: { count: 1, items: [{ title: 'One', version: 1 }] } })
})

t.test('a copy is made of the requested database, at an absolute path', async t => {
  const { ask, copied } = await serveCards(t)
  const path = join(testFolder(t), 'copy.sqlite3')
  t.match(await ask('POST', '/api/backups', { path, of: 'cards' }), { status: 201, body: { path, of: 'cards' } })
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.match(await ask('POST', '/api/backups', { path, of: 'cards' }), { status: 409, body: { code: 'file_exists' } })
  t.match(await ask('POST', '/api/backups', { path, of: 'sessions' }), { status: 201 })
  t.same(copied, [path])
  const wrong: [field: string, body: object][] = [
    ['/path', { path: 'copy', of: 'cards' }],
    ['/path', { path: '', of: 'cards' }],
    ['/path', { path: '/a\0b', of: 'cards' }],
    ['/path', { path: `/${'x'.repeat(5_000)}`, of: 'cards' }],
    ['/path', { of: 'cards' }],
    ['/of', { path, of: 'all' }],
    ['/of', { path, of: 'constructor' }],
    ['/of', { path }],
    ['/mode', { path, of: 'cards', mode: 1 }],
  ]
  for (const [field, body] of wrong) {
    t.match(
      await ask('POST', '/api/backups', body),
      { status: 400, body: { errors: [{ field }] } },
      JSON.stringify(body).slice(0, 60),
    )
  }
  t.equal(copied.length, 1)
})

t.test('the history of a card is read in pages, also of a deleted card', async t => {
  const { ask } = await serveCards(t)
  const { body: card } = await ask('POST', '/api/cards', { title: 'One' })
  await ask('PATCH', `/api/cards/${card.id}`, { column: 'doing' })
  await ask('DELETE', `/api/cards/${card.id}`)
  const history = `/api/cards/${card.id}/history`
  const first = await ask('GET', `${history}?limit=2`)
  t.match(first, {
    status: 200,
    body: { count: 2, items: [{ action: 'deleted', by: { kind: 'open' } }, { action: 'moved' }] },
  })
  t.match(await ask('GET', `${history}?limit=2&after=${first.body.next}`), {
    body: { count: 1, next: null, items: [{ action: 'created', to: 'backlog' }] },
  })
  t.match(await ask('GET', '/api/cards/card_none/history'), { status: 404, body: { code: 'not_found' } })
  t.match(await ask('GET', `${history}?limit=501`), { status: 400, body: { errors: [{ field: 'limit' }] } })
})
