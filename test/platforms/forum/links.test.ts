import t from 'tap'
import { eventOf, headersOf, readFixture } from './support.js'

function postAt(instance: string, members: Record<string, unknown> = {}) {
  const headers = { ...headersOf('post', 'post_created'), 'x-discourse-instance': instance }
  const post = { id: 5, topic_id: 512, topic_slug: 'carry', post_number: 2, username: 'ada', ...members }
  return eventOf({ headers, body: { post } })
}

t.test('a post is linked by the slug, the topic and its number there', async t => {
  t.equal(postAt('https://forum.example.org').target.url, 'https://forum.example.org/t/carry/512/2')
  for (const topic_slug of [null, '', '-', undefined]) {
    t.equal(postAt('https://forum.example.org', { topic_slug }).target.url, 'https://forum.example.org/t/512/2')
  }
  t.equal(postAt('https://forum.example.org').target.parent?.url, 'https://forum.example.org/t/carry/512')
  t.notOk('url' in postAt('https://forum.example.org', { topic_id: null }).target)
})

t.test('a link that the forum gives is used', async t => {
  const under = (post_url: string) => postAt('https://example.net/community', { post_url }).target.url
  t.equal(under('/community/t/carry/512/7'), 'https://example.net/community/t/carry/512/7')
  t.equal(under('https://example.net/elsewhere'), 'https://example.net/elsewhere')
  for (const odd of ['//evil.example', 'javascript:alert(1)', 't/carry']) {
    t.equal(under(odd), 'https://example.net/community/t/carry/512/2', odd)
  }
})

t.test('reserved characters in a link are encoded, and encoded ones stay', async t => {
  const slugged = (topic_slug: string) => postAt('https://forum.example.org', { topic_slug }).target.url
  t.equal(slugged('%E8%99%AB'), 'https://forum.example.org/t/%E8%99%AB/512/2')
  t.equal(slugged('虫'), 'https://forum.example.org/t/%E8%99%AB/512/2')
  t.equal(slugged('a/b?c#d'), 'https://forum.example.org/t/a%2Fb%3Fc%23d/512/2')
  t.equal(slugged('\ud800'), 'https://forum.example.org/t/%EF%BF%BD/512/2')
  t.equal(
    eventOf(readFixture('post-liked-by-another')).actor.metadata.url,
    'https://forum.example.org/u/%E4%BA%95%E4%B8%8A',
  )
})

t.test('host, port and sub-path identify a forum, with any scheme', async t => {
  const cases: [instance: string, host: string, page: string | undefined][] = [
    ['https://forum.example.org', 'forum.example.org', 'https://forum.example.org'],
    ['http://forum.example.org', 'forum.example.org', 'http://forum.example.org'],
    ['https://FORUM.example.org/', 'forum.example.org', 'https://forum.example.org'],
    ['https://forum.example.org:443', 'forum.example.org', 'https://forum.example.org'],
    ['http://forum.example.org:3000', 'forum.example.org:3000', 'http://forum.example.org:3000'],
    ['https://example.net/community', 'example.net/community', 'https://example.net/community'],
    ['https://example.net/Community/', 'example.net/Community', 'https://example.net/Community'],
    ['https://ada:secret@forum.example.org', 'forum.example.org', 'https://forum.example.org'],
    ['forum.example.org', 'forum.example.org', undefined],
    ['', 'unknown', undefined],
    ['https://', 'unknown', undefined],
    ['javascript:alert(1)', 'unknown', undefined],
    ['ftp://forum.example.org', 'unknown', undefined],
    ['no address at all', 'unknown', undefined],
  ]
  for (const [instance, host, page] of cases) {
    const { dedupe_key, target } = postAt(instance)
    t.equal(dedupe_key, `forum:${host}:reply:5:created`, instance)
    const site = target.parent?.parent
    t.equal(site?.key, `site:${host}`, instance)
    t.equal(site?.url, page, instance)
  }
})

t.test('events of every other type have a link', async t => {
  const cases: [name: string, url: string][] = [
    ['user-created', 'https://forum.example.org/u/ada'],
    ['category-created-inside-another', 'https://forum.example.org/c/difference-engines/9'],
    ['group-updated', 'https://forum.example.org/g/mill'],
    ['tag-created', 'https://forum.example.org/tag/carry'],
    ['badge-granted', 'https://forum.example.org/badges/31'],
    ['reviewable-created', 'https://forum.example.org/review/77'],
    ['notification-created', 'https://forum.example.org/t/carry-lever-sticks-at-9/512/2'],
    ['chat-message-created', 'https://forum.example.org/chat/c/general/3/881'],
    ['chat-message-created-between-two', 'https://forum.example.org/chat/c/-/4/882'],
  ]
  for (const [name, url] of cases) t.equal(eventOf(readFixture(name)).target.url, url, name)
})
