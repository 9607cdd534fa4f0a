import t from 'tap'
import { flag, integer, oneOf, readState, text, texts, writeState } from '../../assets/shared/query-state.js'

const PARAMS = {
  q: text,
  source: texts,
  live: flag,
  days: integer({ least: 1, most: 30 }),
  order: oneOf('newest', 'oldest'),
}
const REST = { q: '', source: [], live: false, days: undefined, order: 'newest' }

t.test('the state is read from the address, and invalid values are ignored', async t => {
  const read = (query: string) => readState(PARAMS, new URLSearchParams(query))
  t.same(read(''), REST)
  t.same(read('q=a+b&source=chat&source=forum&source=chat&source=&live=true&days=7&order=oldest'), {
    q: 'a b',
    source: ['chat', 'forum'],
    live: true,
    days: 7,
    order: 'oldest',
  })
  t.same(read('days=0&live=maybe&order=sideways'), REST)
  for (const days of ['31', '-1', '1.5', '1e1', '٣', '0x5', '9'.repeat(400)]) {
    t.equal(read(`days=${encodeURIComponent(days)}`).days, undefined, days)
  }
})

t.test('the written state is read back; default values are left out, and foreign parameters stay', async t => {
  const query = new URLSearchParams('event=x&q=old&days=3')
  const state = { q: 'new & "old"', source: ['chat', 'code_a'], live: true, days: 7, order: 'oldest' as const }
  const written = writeState(PARAMS, state, query)
  t.same(readState(PARAMS, new URLSearchParams(written.toString())), state)
  t.equal(written.get('event'), 'x')
  t.equal(writeState(PARAMS, { ...REST, order: 'newest' }, written).toString(), 'event=x')
  t.equal(query.toString(), 'event=x&q=old&days=3', 'what was given is left as it is')
})
