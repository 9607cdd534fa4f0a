import t from 'tap'
import {
  actorName,
  chainOf,
  crumbsOf,
  eventText,
  isProgram,
  labelOf,
  roleOf,
} from '../../assets/observatory/events/event-words.js'
import type { TargetNode } from '../../src/model/events/event.js'

/** From the outermost to the target: `type:id=display`. */
function target(...nodes: string[]): TargetNode {
  return nodes.reduce<TargetNode | undefined>((parent, node) => {
    const [key = '', display] = node.split('=')
    const [type = ''] = key.split(':')
    return { type, key, ...(display === undefined ? {} : { display }), ...(parent && { parent }) }
  }, undefined) as TargetNode
}

const crumbs = (...nodes: string[]) => crumbsOf({ target: target(...nodes) }).map(({ text }) => text)

t.test('a chain begins with its outermost target, and a circular chain is cut', async t => {
  const chain = chainOf({ target: target('realm:a=A', 'stream:4=eng', 'message:7') })
  t.same(
    chain.map(({ key }) => key),
    ['realm:a', 'stream:4', 'message:7'],
  )
  const endless: TargetNode = { type: 'a', key: 'a:1' }
  endless.parent = endless
  t.equal(chainOf({ target: endless }).length, 64)
})

t.test('breadcrumbs omit the targets that every event of a platform has', async t => {
  t.same(crumbs('realm:a=chat.example', 'stream:4=eng', 'topic:9=deploys', 'message:8796'), ['eng', 'deploys'])
  t.same(crumbs('owner:1=tide', 'repository:2=tide/relay', 'commit:abc=abc', 'workflow_run:3=ci'), ['tide/relay', 'ci'])
  t.same(crumbs('site:f=f', 'category:6=help', 'topic:1=Late?', 'post:5=#26', 'like:5/41'), ['help', 'Late?'])
})

t.test('an existing target is always named', async t => {
  t.same(crumbs('realm:a=chat.example', 'message:90809', 'reaction:x=:tada:'), ['message 90809'])
  t.same(crumbs('realm:a=chat.example'), ['chat.example'])
  t.same(crumbsOf({ target: {} }), [])
  t.equal(labelOf({ key: 'odd' }), 'odd')
})

t.test('the actor is never blank, and the role of a member is not shown', async t => {
  const actor = (display: string, id: string) => ({ actor: { id, display, metadata: {} } })
  t.equal(actorName(actor('Ada', '1')), 'Ada')
  t.equal(actorName(actor('', '2')), 'user 2')
  t.equal(actorName(actor('', '')), 'Someone')
  t.equal(roleOf({ actor_role: 'member' }), '')
  t.equal(roleOf({ actor_role: 'code_owner' }), 'code owner')
  t.ok(isProgram({ actor_role: 'bot' }))
})

t.test('the messages are the text of the conversation', async t => {
  t.equal(eventText({ conversation: { text: 'Hello' } }), 'Hello')
  t.equal(eventText({ conversation: {} }), '')
})
