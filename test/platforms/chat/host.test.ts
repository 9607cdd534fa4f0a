import t from 'tap'
import { baseUrlOf, hostOf } from '../../../src/platforms/chat/context.js'
import { eventOf, message, readFixture, SITE } from './support.js'

const STAND_IN = message({ sender_email: 'user17@Hidden.example.org' })

t.test('the server is the configured one, else that of a stand-in address, else unknown', async t => {
  t.equal(hostOf({ site: SITE }, STAND_IN), 'chat.example.org')
  t.equal(hostOf({ site: undefined }, STAND_IN), 'hidden.example.org')
  t.equal(hostOf({ site: 'not a site' }, STAND_IN), 'hidden.example.org')
  t.equal(hostOf({ site: undefined }, message()), 'chat')
})

t.test('only a stand-in address with the id of its owner names the server', async t => {
  const cases: [message: Record<string, unknown>, host: string][] = [
    [message({ sender_email: 'user18@hidden.example.org' }), 'chat'],
    [message({ sender_email: 'user17@' }), 'chat'],
    [message({ sender_email: 'user17@a/b' }), 'chat'],
    [message({ sender_email: 'xuser17@hidden.example.org' }), 'chat'],
    [message({ sender_id: undefined, sender_email: 'user17@hidden.example.org' }), 'chat'],
    [{ display_recipient: [{ id: 9 }, { id: 10, email: 'user10@hidden.example.org' }] }, 'hidden.example.org'],
    [{ user: { user_id: 10, email: 'user10@hidden.example.org' } }, 'hidden.example.org'],
    [{ user: { id: 10, email: 'user10@hidden.example.org' } }, 'hidden.example.org'],
  ]
  for (const [sent, host] of cases) t.equal(hostOf({ site: undefined }, sent), host, JSON.stringify(sent))
})

t.test('equal ids on two servers are two events', async t => {
  const one = eventOf({ body: message(), site: SITE })
  const other = eventOf({ body: message(), site: 'https://chat.example.net:8443' })
  t.equal(one.dedupe_key, 'chat:chat.example.org:message:8812:created')
  t.equal(other.dedupe_key, 'chat:chat.example.net:8443:message:8812:created')
})

t.test('the address of the server is present only if it is known', async t => {
  t.equal(baseUrlOf({ site: 'chat.example.org/api' }), SITE)
  t.equal(baseUrlOf({ site: undefined }), undefined)
  t.equal(eventOf({ body: message(), site: SITE }).payload.base_url, SITE)
  t.equal(eventOf({ body: STAND_IN }).payload.base_url, null)
  t.notOk('url' in eventOf({ body: STAND_IN }).target)
})

t.test('a form in the Slack format names its server', async t => {
  const { headers, body } = readFixture('slack-format-mention')
  t.match(eventOf({ headers, body }).dedupe_key, /^chat:chat\.example\.org:/u)
  t.match(eventOf({ headers, body, site: 'https://other.example.org' }).dedupe_key, /^chat:other\.example\.org:/u)
})
