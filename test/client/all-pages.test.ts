import t from 'tap'
import { listAllSubscriptions } from '../../src/client/all-pages.js'
import { Answer } from '../../src/client/answer.js'

/** A server with these answers, one after the other; and where each page was to begin. */
function answering(...bodies: unknown[]) {
  const asked: (string | undefined)[] = []
  const client = {
    subscriptions: async ({ after }: { after?: string } = {}) => {
      asked.push(after)
      return new Answer(200, Buffer.from(JSON.stringify(bodies[asked.length - 1])))
    },
  }
  return { client, asked }
}

t.test('all pages are combined into one answer', async t => {
  const { client, asked } = answering(
    { items: [{ id: 'a' }, { id: 'b' }], count: 2, next: 'b' },
    { items: [{ id: 'c' }], count: 1, next: null },
  )
  const answer = await listAllSubscriptions(client)
  t.equal(answer.text(), '{"items":[{"id":"a"},{"id":"b"},{"id":"c"}],"count":3}')
  t.same(asked, [undefined, 'b'])
})

t.test('a ledger without pages is asked once', async t => {
  const { client, asked } = answering({ items: [{ id: 'a' }], count: 1 })
  t.equal((await listAllSubscriptions(client)).text(), '{"items":[{"id":"a"}],"count":1}')
  t.equal(asked.length, 1)
})

t.test('a page without a valid next position is an error', async t => {
  const stuck = { items: [{ id: 'a' }], count: 1, next: 'a' }
  for (const bodies of [[stuck, stuck], [{ items: [], next: 'a' }], [{ items: 7 }], [null], [{ items: [], next: 7 }]]) {
    await t.rejects(listAllSubscriptions(answering(...bodies).client), { code: 'not_a_ledger' })
  }
})
