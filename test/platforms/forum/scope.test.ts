import t from 'tap'
import { type TargetNode, targetChain } from '../../../src/model/events/event.js'
import { parseTarget, scopeKeysOf } from '../../../src/model/subscriptions/scope-key.js'
import { eventOf, readFixture, readFixtures } from './support.js'

function isCovered(target: TargetNode, by: string): boolean {
  return scopeKeysOf(target).includes(parseTarget('forum', by).scopeKey)
}

function typesOf(target: TargetNode): (string | undefined)[] {
  return [...targetChain(target)].map(({ type }) => type)
}

t.test('a subscription to a category covers its posts, by id and by slug', async t => {
  for (const name of ['post-created', 'reply-edited', 'reply-destroyed', 'post-liked', 'solution-accepted']) {
    const { target } = eventOf(readFixture(name))
    t.ok(isCovered(target, 'category:7'), name)
    t.ok(isCovered(target, 'category:support'), name)
    t.notOk(isCovered(target, 'category:8'), name)
    t.notOk(isCovered(target, 'category:feedback'), name)
  }
})

t.test('a subscription by id covers payloads without a slug', async t => {
  for (const name of ['topic-created', 'topic-destroyed', 'reviewable-created', 'generic-event-of-a-plugin']) {
    t.ok(isCovered(eventOf(readFixture(name)).target, 'category:7'), name)
  }
})

t.test('a category is covered by its own id and slug, and by the id of its parent', async t => {
  const { target } = eventOf(readFixture('category-created-inside-another'))
  t.equal(target.display, 'Difference engines')
  for (const by of ['category:9', 'category:difference-engines', 'category:7']) t.ok(isCovered(target, by), by)
})

t.test('a message in the chat of a category is covered by the category', async t => {
  const { target } = eventOf(readFixture('chat-message-created'))
  for (const by of ['category:7', 'category:support']) t.ok(isCovered(target, by), by)
})

t.test('a subscription to a topic covers its events', async t => {
  const inTopic = readFixtures().filter(({ body }) => /"(?:topic_)?id":512\b/u.test(JSON.stringify(body)))
  t.ok(inTopic.length > 20)
  for (const fixture of inTopic) {
    const { target } = eventOf(fixture)
    t.ok(isCovered(target, 'topic:512'), fixture.name)
    t.notOk(isCovered(target, 'topic:4101'), `${fixture.name}: the id of a post is none of a topic`)
  }
})

t.test('the target chain ends at the forum', async t => {
  const cases: [name: string, types: string[]][] = [
    ['reply-edited', ['post', 'topic', 'category', 'site']],
    ['post-created-in-a-private-message', ['post', 'topic', 'site']],
    ['topic-created', ['topic', 'category', 'site']],
    ['post-liked', ['like', 'post', 'topic', 'category', 'site']],
    ['solution-accepted', ['post', 'topic', 'category', 'site']],
    ['category-created-inside-another', ['category', 'category', 'site']],
    ['badge-granted', ['badge', 'user', 'site']],
    ['group-member-added', ['group_member', 'group', 'site']],
    ['notification-created', ['notification', 'post', 'topic', 'site']],
    ['notification-created-about-a-badge', ['notification', 'site']],
    ['reviewable-created', ['reviewable', 'post', 'topic', 'category', 'site']],
    ['reviewable-created-for-a-user-by-ids', ['reviewable', 'user', 'site']],
    ['reviewable-created-for-a-queued-post', ['reviewable', 'category', 'site']],
    ['chat-message-created', ['message', 'stream', 'category', 'site']],
    ['chat-message-created-between-two', ['message', 'stream', 'site']],
    ['topic-assigned', ['topic', 'site']],
  ]
  for (const [name, types] of cases) t.strictSame(typesOf(eventOf(readFixture(name)).target), types, name)
})

t.test('events with restricted access are marked', async t => {
  const { target } = eventOf(readFixture('post-created-in-a-private-message'))
  t.equal(target.parent?.metadata?.private, true)
  const spoken = eventOf(readFixture('chat-message-created-between-two')).target
  t.equal(spoken.parent?.metadata?.private, true)
  t.notOk('private' in (eventOf(readFixture('reply-edited')).target.parent?.metadata ?? {}))
})

t.test('all messages of a topic are one conversation', async t => {
  const names = ['post-created', 'reply-edited', 'post-liked', 'topic-closed', 'notification-created', 'topic-assigned']
  for (const name of names) t.equal(eventOf(readFixture(name)).conversation.key, 'topic:512', name)
})
