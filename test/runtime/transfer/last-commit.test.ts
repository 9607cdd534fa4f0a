import t from 'tap'
import { lastCommit, mayBeMoved } from '../../../src/runtime/transfer/last-commit.js'

t.test('a lost answer to the last commit of a move keeps the old place closed, another failure does not', async t => {
  const lost: unknown = await lastCommit(Promise.reject(new Error('connection lost')), '/srv/new').catch(error => error)
  t.match(lost, { category: 'unavailable', code: 'outcome_unknown', message: /\/srv\/new.*Repeat the command/ })
  t.equal(mayBeMoved(lost), true)
  t.equal(mayBeMoved(new Error('The disk is full.')), false)
  await t.resolves(lastCommit(Promise.resolve(), '/srv/new'))
})
