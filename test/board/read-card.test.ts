import t from 'tap'
import { readCard, readCardChanges } from '../../src/board/read-card.js'
import { AppError } from '../../src/model/app-error.js'
import { CARD_LIMITS } from '../../src/model/board/card.js'

const COLUMNS = ['backlog', 'doing']
const PAIR = '😀'

function refusedFields(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_field') return error.errors.map(({ field }) => field)
    throw error
  }
  return []
}

t.test('a new card needs only a title, whose surrounding blanks are removed', async t => {
  t.same(readCard({ title: '  Do it\n' }, COLUMNS), { title: 'Do it' })
  t.same(readCard({ title: 'x', labels: [' a', 'b '], assignee: ' ada ', links: [' k '] }, COLUMNS), {
    title: 'x',
    labels: ['a', 'b'],
    assignee: 'ada',
    links: [' k '],
  })
})

t.test('members of the maximum size are accepted', async t => {
  const most = {
    title: PAIR.repeat(CARD_LIMITS.titleCharacters),
    body: 'x'.repeat(CARD_LIMITS.bodyBytes),
    column: 'doing',
    labels: Array.from(
      { length: CARD_LIMITS.labels },
      (_, n) => PAIR.repeat(CARD_LIMITS.labelCharacters - 2) + (10 + n),
    ),
    assignee: 'x'.repeat(CARD_LIMITS.assigneeCharacters),
    links: Array.from({ length: CARD_LIMITS.links }, (_, n) => 'x'.repeat(CARD_LIMITS.linkCharacters - 2) + (10 + n)),
    position: Number.MAX_SAFE_INTEGER,
  }
  t.same(readCard(most, COLUMNS), most)
  t.same(readCard({ title: 'x', assignee: null, body: '' }, COLUMNS), { title: 'x', assignee: null, body: '' })
})

const wrong: [field: string, members: Record<string, unknown>][] = [
  ['/title', { title: '' }],
  ['/title', { title: ' \n' }],
  ['/title', { title: null }],
  ['/title', { title: 7 }],
  ['/title', { title: 'a\0b' }],
  ['/title', { title: 'a\ud800' }],
  ['/title', { title: 'a\nb' }],
  ['/title', { title: 'a\rb' }],
  ['/title', { title: 'a\u001b[1m' }],
  ['/title', { title: 'x'.repeat(CARD_LIMITS.titleCharacters + 1) }],
  ['/body', { body: null }],
  ['/body', { body: '\0' }],
  ['/body', { body: '\udc00' }],
  ['/body', { body: 'x'.repeat(CARD_LIMITS.bodyBytes + 1) }],
  ['/body', { body: `${PAIR.repeat(CARD_LIMITS.bodyBytes / 4)}x` }],
  ['/column', { column: 'Doing' }],
  ['/column', { column: '' }],
  ['/column', { column: null }],
  ['/column', { column: 'constructor' }],
  ['/labels', { labels: 'a' }],
  ['/labels', { labels: ['a', ' a '] }],
  ['/labels', { labels: Array.from({ length: CARD_LIMITS.labels + 1 }, (_, n) => `l${n}`) }],
  ['/labels/0', { labels: [''] }],
  ['/labels/1', { labels: ['a', 5] }],
  ['/labels/0', { labels: ['x'.repeat(CARD_LIMITS.labelCharacters + 1)] }],
  ['/assignee', { assignee: '' }],
  ['/assignee', { assignee: ['ada'] }],
  ['/links/0', { links: [''] }],
  ['/links/0', { links: ['k\0'] }],
  ['/links', { links: ['k', 'k'] }],
  ['/position', { position: -1 }],
  ['/position', { position: 1.5 }],
  ['/position', { position: '1' }],
  ['/position', { position: null }],
  ['/version', { version: 3 }],
  ['/rank', { rank: 1 }],
  ['/id', { id: 'card_0123456789abcdef' }],
  ['/__proto__', JSON.parse('{"__proto__":{"title":"x"}}')],
  [`/${'x'.repeat(99)}`, { ['x'.repeat(5_000)]: 1 }],
]

t.test('an invalid member of a new card or of a change is refused by its name', async t => {
  for (const [field, members] of wrong) {
    const name = `${field} ${JSON.stringify(members).slice(0, 40)}`
    t.ok(refusedFields(() => readCard({ title: 'x', ...members }, COLUMNS)).includes(field), name)
    t.ok(refusedFields(() => readCardChanges(members, COLUMNS)).includes(field), name)
  }
})

t.test('one refusal lists all problems', async t => {
  const fields = refusedFields(() => readCard({ body: 5, labels: 'x', unknown: 1 }, COLUMNS))
  t.same(fields.sort(), ['/body', '/labels', '/title', '/unknown'])
})

t.test('a card that is not an object is refused', async t => {
  for (const input of [null, [], 'x', 7, true, undefined]) {
    for (const read of [readCard, readCardChanges]) t.throws(() => read(input, COLUMNS), { code: 'invalid_json' })
  }
})

t.test('a change without members is refused', async t => {
  t.same(
    refusedFields(() => readCardChanges({}, COLUMNS)),
    [''],
  )
})

t.test('a huge or deeply nested list is refused after reading a bounded part of it', async t => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const many = Array<number>(200_000).fill(1)
  t.same(
    refusedFields(() => readCard({ title: 'x', labels: many, links: many }, COLUMNS)),
    ['/labels', '/links'],
  )
  t.same(
    refusedFields(() => readCard({ title: 'x', labels: [deep] }, COLUMNS)),
    ['/labels/0'],
  )
})
