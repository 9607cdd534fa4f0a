import t from 'tap'
import { lastCommit, mayBeMoved } from '../../../src/runtime/transfer/last-commit.js'

const lost = () => Promise.reject(new Error('connection lost'))

t.test('the old place of a move stays closed only if the new one may be open', async t => {
  const failure = (isIncomplete: () => Promise<boolean>) =>
    lastCommit(lost, isIncomplete, '/srv/new').catch(error => error)
  const unknown: unknown = await failure(lost)
  t.match(unknown, { category: 'unavailable', code: 'outcome_unknown', message: /\/srv\/new.*Repeat the command/ })
  t.equal(mayBeMoved(unknown), true)
  const incomplete: unknown = await failure(async () => true)
  t.match(incomplete, { message: 'connection lost' })
  t.equal(mayBeMoved(incomplete), false)
  t.equal(await failure(async () => false), undefined, 'only the answer was lost')
})
