import t from 'tap'
import { OrderedReplies } from '../../../../src/store/sqlite/thread/ordered-replies.js'

t.test('events are transferred, alone, in a page, and in a page for copies', async t => {
  const replies = new OrderedReplies()
  const bytes = () => new Uint8Array(8)
  for (const result of [bytes(), { items: bytes() }, { lines: bytes() }]) replies.add(1, () => result)
  for (const result of [undefined, null, { items: [] }]) replies.add(2, () => result)
  t.equal(replies.bytes, 24)
  t.equal(replies.transfer.length, 3)
  t.equal(replies.replies.length, 6)
})
