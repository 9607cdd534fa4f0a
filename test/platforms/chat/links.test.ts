import t from 'tap'
import { eventOf, message, SITE } from './support.js'

function narrowsOf(members: Record<string, unknown>) {
  const { target } = eventOf({ body: message(members), site: SITE })
  const strip = (url: string | undefined) => url?.replace(`${SITE}/#narrow/`, '')
  return { message: strip(target.url), topic: strip(target.parent?.url), stream: strip(target.parent?.parent?.url) }
}

t.test('a link leads to the message, to its topic and to its stream', async t => {
  t.strictSame(narrowsOf({}), {
    message: 'channel/4-eng/topic/deploys/near/8812',
    topic: 'channel/4-eng/topic/deploys/with/8812',
    stream: 'channel/4-eng',
  })
  const { conversation, target } = eventOf({ body: message(), site: SITE })
  t.equal(conversation.url, target.url)
})

t.test('names are encoded as the web client reads them', async t => {
  const cases: [name: string, encoded: string][] = [
    ['v1.2 (beta)', 'v1.2E2.20.28beta.29'],
    ['100% / done?', '100.25.20.2F.20done.3F'],
    ['✔ fertig: Größe', '.E2.9C.94.20fertig.3A.20Gr.C3.B6.C3.9Fe'],
    ["it's!*~_-", 'it.27s.21.2A~_-'],
    ['#a&b=c+d', '.23a.26b.3Dc.2Bd'],
    ['', ''],
    ['\ud83d', '.EF.BF.BD'],
    ['</a><script>', '.3C.2Fa.3E.3Cscript.3E'],
  ]
  for (const [name, encoded] of cases) {
    t.equal(narrowsOf({ subject: name }).message, `channel/4-eng/topic/${encoded}/near/8812`, name)
  }
  t.equal(narrowsOf({ display_recipient: 'coffee & tea. Here' }).stream, 'channel/4-coffee-.26-tea.2E-Here')
  t.equal(narrowsOf({ display_recipient: undefined }).stream, 'channel/4')
})

t.test('a conversation between people is linked by their ids', async t => {
  const direct = (...ids: unknown[]) => {
    const display_recipient = ids.map(id => ({ id, full_name: `Person ${id}` }))
    return eventOf({
      body: message({ type: 'private', subject: '', stream_id: undefined, display_recipient }),
      site: SITE,
    })
  }
  t.equal(direct(19, 17).target.url, `${SITE}/#narrow/dm/17,19-dm/near/8812`)
  t.equal(direct(17, 19, 8).target.url, `${SITE}/#narrow/dm/8,17,19-group/near/8812`)
  t.equal(direct(17).target.url, `${SITE}/#narrow/dm/17-dm/near/8812`)
  t.equal(direct(19, null).target.url, `${SITE}/#narrow/near/8812`, 'not without all of them')
})

t.test('a message without a place is linked by its id alone', async t => {
  for (const members of [{ subject: undefined }, { stream_id: undefined }]) {
    t.equal(eventOf({ body: message(members), site: SITE }).target.url, `${SITE}/#narrow/near/8812`)
  }
})
