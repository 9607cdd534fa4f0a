import t from 'tap'
import {
  actorName,
  chainOf,
  crumbsOf,
  isProgram,
  labelOf,
  roleOf,
  verbOf,
  wordsSaid,
} from '../../assets/observatory/events/event-words.js'
import { KIND_VERBS } from '../../assets/observatory/events/kind-verbs.js'
import type { LedgerEvent, TargetNode } from '../../assets/shared/wire.js'
import { listPlatforms } from '../../src/platforms/catalogue.js'

function action(kind: string, metadata: Record<string, unknown> = {}): Pick<LedgerEvent, 'kind' | 'action'> {
  const [object_type = '', verb = ''] = kind.split('.')
  return { kind, action: { kind, object_type, verb, metadata } }
}

/** From the outermost to the target: `type:id=display`. */
function target(...nodes: string[]): TargetNode {
  return nodes.reduce<TargetNode | undefined>((parent, node) => {
    const [key = '', display] = node.split('=')
    const [type = ''] = key.split(':')
    return { type, key, ...(display === undefined ? {} : { display }), ...(parent && { parent }) }
  }, undefined) as TargetNode
}

const crumbs = (...nodes: string[]) => crumbsOf({ target: target(...nodes) }).map(({ text }) => text)

t.test('every kind that a platform sends has words of its own', async t => {
  for (const { source, actions } of listPlatforms()) {
    for (const { kind, object_type, verb } of actions) t.ok(KIND_VERBS[object_type]?.[verb], `${source} ${kind}`)
  }
})

t.test('verbs read as a part of a sentence', async t => {
  const cases: [string, string][] = [
    ['message.created', 'wrote in'],
    ['reply.created', 'replied in'],
    ['pull_request.created', 'opened'],
    ['pull_request.merged', 'merged'],
    ['push.created', 'pushed to'],
    ['job.failed', 'failed job on'],
    ['solution.accepted', 'marked a solution in'],
  ]
  for (const [kind, words] of cases) t.equal(verbOf(action(kind)), words)
})

t.test('how a review or a run went is said where the event says it', async t => {
  t.equal(verbOf(action('review.submitted', { review_state: 'approved' })), 'approved')
  t.equal(verbOf(action('review.submitted', { review_state: 'changes_requested' })), 'asked for changes to')
  t.equal(verbOf(action('review.submitted', { review_state: 'constructor' })), 'reviewed')
  t.equal(verbOf(action('workflow_run.completed', { conclusion: 'failure' })), 'failed workflow on')
  t.equal(verbOf(action('workflow_run.completed', { conclusion: 'success' })), 'finished workflow on')
})

t.test('of a kind that is not known the event’s own words are said, and no sentence is guessed', async t => {
  t.equal(verbOf(action('backup_job.half_done')), 'half done backup job')
  t.equal(verbOf(action('constructor.toString')), 'toString constructor')
  t.equal(verbOf({ kind: 'alarm', action: { kind: 'alarm', object_type: '', verb: '', metadata: {} } }), '')
})

t.test('the chain begins with the outermost, and one that never ends is cut', async t => {
  const chain = chainOf({ target: target('realm:a=A', 'stream:4=eng', 'message:7') })
  t.same(
    chain.map(({ key }) => key),
    ['realm:a', 'stream:4', 'message:7'],
  )
  const endless: TargetNode = { type: 'a', key: 'a:1' }
  endless.parent = endless
  t.equal(chainOf({ target: endless }).length, 64)
})

t.test('breadcrumbs leave out what goes without saying', async t => {
  t.same(crumbs('realm:a=chat.example', 'stream:4=eng', 'topic:9=deploys', 'message:8796'), ['eng', 'deploys'])
  t.same(crumbs('owner:1=tide', 'repository:2=tide/relay', 'commit:abc=abc', 'workflow_run:3=ci'), ['tide/relay', 'ci'])
  t.same(crumbs('site:f=f', 'category:6=help', 'topic:1=Late?', 'post:5=#26', 'like:5/41'), ['help', 'Late?'])
})

t.test('something is always said of a target that there is', async t => {
  t.same(crumbs('realm:a=chat.example', 'message:90809', 'reaction:x=:tada:'), ['message 90809'])
  t.same(crumbs('realm:a=chat.example'), ['chat.example'])
  t.same(crumbsOf({ target: {} }), [])
  t.equal(labelOf({ key: 'odd' }), 'odd')
})

t.test('who it was is never blank, and being a member is nothing to mention', async t => {
  const actor = (display: string, id: string) => ({ actor: { id, display, metadata: {} } })
  t.equal(actorName(actor('Ada', '1')), 'Ada')
  t.equal(actorName(actor('', '2')), 'user 2')
  t.equal(actorName(actor('', '')), 'Someone')
  t.equal(roleOf({ actor_role: 'member' }), '')
  t.equal(roleOf({ actor_role: 'code_owner' }), 'code owner')
  t.ok(isProgram({ actor_role: 'bot' }))
})

t.test('what was said is the words, how a run went, or the reaction', async t => {
  const said = (text: string | undefined, metadata = {}, node: TargetNode = {}) =>
    wordsSaid({
      conversation: text === undefined ? {} : { text },
      action: action('a.b', metadata).action,
      target: node,
    })
  t.equal(said('Hello'), 'Hello')
  t.equal(said('Nightly run', { conclusion: 'timed_out' }), 'timed out: Nightly run')
  t.equal(said(undefined, { conclusion: 'failure' }), 'failure')
  t.equal(said(undefined, {}, { type: 'reaction', display: ':tada:' }), ':tada:')
  t.equal(said(undefined), '')
})
