import t from 'tap'
import { warnOfVisibleSecret } from '../../../src/cli/base/api-context.js'

t.test('a terminal shows a warning if a flag contains a secret, and other outputs do not', async t => {
  for (const isTTY of [true, false]) {
    const written: string[] = []
    warnOfVisibleSecret('--token', 'EVENT_API_TOKEN', { isTTY, write: text => written.push(text) })
    t.match(written, isTTY ? [/--token shows in the process list.* EVENT_API_TOKEN/] : { length: 0 })
    t.equal(written.length, isTTY ? 1 : 0)
  }
})
