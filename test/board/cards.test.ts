import t from 'tap'
import { ADA } from './actor.js'
import { cardsRig } from './cards-rig.js'

t.test('a new card is at the end of the first column', async t => {
  const { cards } = cardsRig(t)
  t.same(await cards.create({ title: 'One' }, ADA), {
    id: 'card_0000000000000001',
    title: 'One',
    body: '',
    column: 'backlog',
    labels: [],
    assignee: null,
    links: [],
    rank: 1,
    version: 1,
    created_at: '2031-05-04T09:00:00.000000Z',
    updated_at: '2031-05-04T09:00:00.000000Z',
  })
  t.ok((await cards.create({ title: 'Two' }, ADA)).rank > 1)
  t.ok((await cards.create({ title: 'Zero', position: 0 }, ADA)).rank < 1)
  t.equal((await cards.create({ title: 'Elsewhere', column: 'done' }, ADA)).column, 'done')
})

t.test('a change keeps the members that were not sent, and null clears the assignee', async t => {
  const { cards } = cardsRig(t)
  const { id } = await cards.create({ title: 'One', assignee: 'ada', labels: ['a'] }, ADA)
  t.match(await cards.update(id, { body: 'More' }, undefined, ADA), {
    assignee: 'ada',
    labels: ['a'],
    body: 'More',
    version: 2,
  })
  t.match(await cards.update(id, { assignee: null }, undefined, ADA), {
    assignee: null,
    updated_at: '2031-05-04T09:00:02.000000Z',
  })
})

t.test('the second of two changes to one version is refused', async t => {
  const { cards } = cardsRig(t)
  const { id } = await cards.create({ title: 'One' }, ADA)
  t.match(await cards.update(id, { title: 'Two' }, '"1"', ADA), { version: 2 })
  const refused = { category: 'outdated', code: 'version_conflict', message: /version 2 now/ }
  await t.rejects(cards.update(id, { title: 'Three' }, '"1"', ADA), refused)
  await t.rejects(cards.update(id, { title: 'Three' }, 'W/"2"', ADA), refused)
  await t.rejects(cards.update(id, { title: 'Three' }, '"two"', ADA), refused)
  await t.rejects(cards.delete(id, '"1"', ADA), refused)
  t.match(await cards.update(id, { title: 'Three' }, '"7", "2"', ADA), { version: 3 })
  t.match(await cards.update(id, { title: 'Four' }, '*', ADA), { version: 4 })
  await t.rejects(cards.update(id, { title: 'Five' }, 'what', ADA), { code: 'invalid_field' })
  await t.rejects(cards.delete(id, 'what', ADA), { code: 'invalid_field' })
  t.match(await cards.get(id), { title: 'Four' })
})

t.test('every operation on an unknown card answers not_found', async t => {
  const { cards } = cardsRig(t)
  const { id } = await cards.create({ title: 'One' }, ADA)
  await cards.delete(id, '"1"', ADA)
  const missing = { category: 'not_found', code: 'not_found' }
  for (const unknown of [id, '', 'card_1\0', '\ud800', '__proto__', 'x'.repeat(10_000)]) {
    await t.rejects(cards.get(unknown), missing)
    await t.rejects(cards.update(unknown, { title: 'x' }, undefined, ADA), missing)
    await t.rejects(cards.update(unknown, { title: 'x' }, '"1"', ADA), missing)
    await t.rejects(cards.delete(unknown, undefined, ADA), missing)
  }
})

t.test('a card in a removed column is listed, and can be changed and moved away', async t => {
  const rig = cardsRig(t, { columns: ['todo', 'later'] })
  const { id } = await rig.cards.create({ title: 'One', column: 'later' }, ADA)
  const cards = rig.withColumns(['todo', 'done'])
  t.match(await cards.list({}), { items: [{ id, column: 'later' }], columns: ['todo', 'done'] })
  t.match(await cards.list({ column: 'later' }), { count: 1 })
  t.match(await cards.update(id, { title: 'Two', column: 'later' }, undefined, ADA), { title: 'Two', column: 'later' })
  await t.rejects(cards.create({ title: 'Three', column: 'later' }, ADA), { code: 'invalid_field' })
  t.match(await cards.update(id, { column: 'done' }, undefined, ADA), { column: 'done' })
  await t.rejects(cards.update(id, { column: 'later' }, undefined, ADA), { code: 'invalid_field' })
})

t.test('a list has as many cards as requested', async t => {
  const { cards } = cardsRig(t)
  for (let n = 0; n < 3; n++) await cards.create({ title: `Card ${n}` }, ADA)
  const page = await cards.list({ limit: 2 })
  t.match(page, { count: 2, columns: ['backlog', 'doing', 'review', 'done'] })
  t.match(await cards.list({ limit: 2, after: page.next ?? 0 }), { count: 1, next: null, items: [{ title: 'Card 2' }] })
})

t.test('simultaneous changes of a card are made one after the other', async t => {
  const { cards } = cardsRig(t, { columns: ['todo', 'later'] })
  const { id } = await cards.create({ title: 'One' }, ADA)
  const changes = ['Two', 'Three', 'Four'].map(title => cards.update(id, { title }, '"1"', ADA))
  const outcomes = await Promise.allSettled([...changes, cards.delete(id, '"1"', ADA)])
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected'],
  )
  t.match(await cards.get(id), { title: 'Two', version: 2 })
})
