import fc from 'fast-check'
import t from 'tap'
import { sentenceOf, sentenceText } from '../../../src/model/sentences/event-sentence.js'
import { KIND_SENTENCES } from '../../../src/model/sentences/kind-sentences.js'
import { commonTemplates } from '../../../src/model/sentences/plain-sentences.js'
import { listPlatforms } from '../../../src/platforms/adapters.js'

interface Facts {
  actor?: { id?: string; display?: string }
  outcome?: string
  metadata?: Record<string, unknown>
  /** From the outermost to the target: `type:id=display`. */
  chain?: readonly string[]
  payload?: Record<string, unknown>
}

interface Node {
  type: string
  key: string
  display: string | undefined
  parent?: Node
}

const REPOSITORY = 'repository:7=tide/relay'
const ISSUE = [REPOSITORY, 'issue:12=#12 Late']

function said(
  kind: string,
  { actor = { display: 'Ada' }, outcome, metadata = {}, chain = ISSUE, payload }: Facts = {},
) {
  const [object_type = '', verb = ''] = kind.split('.')
  const target = chain.reduce<Node | undefined>((parent, text) => {
    const [key = '', display] = text.split('=')
    return { type: key.split(':')[0] ?? '', key, display, ...(parent && { parent }) }
  }, undefined)
  return sentenceText({ kind, actor, target, payload, action: { kind, object_type, verb, outcome, metadata } })
}

t.test('every kind of a platform has its own sentence, or that of a known verb', async t => {
  for (const { source, actions } of listPlatforms()) {
    for (const { kind, object_type: type, verb } of actions) {
      const sentences = KIND_SENTENCES[type]
      t.ok(sentences?.[verb] ?? sentences?.['*'] ?? commonTemplates(type, verb)[0], `${source} ${kind}`)
    }
  }
})

t.test('the sentence distinguishes the affected person from the actor', async t => {
  const bob = { concerned: { id: '2', display: 'Bob' } }
  const repository = { chain: [REPOSITORY] }
  t.equal(said('member.added', { ...repository, metadata: bob }), 'Ada added Bob to tide/relay')
  t.equal(
    said('member.added', { ...repository, metadata: { ...bob, role: 'owner' } }),
    'Ada added Bob to tide/relay with role owner',
  )
  t.equal(said('member.added', { ...repository, metadata: bob, actor: {} }), 'Bob was added to tide/relay')
  t.equal(
    said('member.added', { ...repository, metadata: bob, actor: { id: '2', display: 'Bob' } }),
    'Bob joined tide/relay',
  )
  t.equal(said('member.added', { ...repository, payload: { member: { login: 'bob' } } }), 'Ada added bob to tide/relay')
  t.equal(
    said('membership.removed', { chain: ['owner:1=tide'], metadata: { ...bob, team: 'crew' } }),
    'Ada removed Bob from team crew of tide',
  )
  const user = { chain: ['site:f=forum.example', 'user:2=Bob'] }
  t.equal(said('user.deleted', { ...user, actor: { id: '1', display: 'Ada' } }), 'Ada deleted user Bob')
  t.equal(said('user.deleted', { ...user, actor: {} }), 'User Bob was deleted')
  t.equal(said('user.logged_in', { ...user, actor: { id: '2', display: 'Bob' } }), 'Bob logged in')
  t.equal(
    said('badge.granted', { chain: ['site:f=forum.example', 'user:2=Bob', 'badge:3=Moth'] }),
    'Ada granted badge Moth to Bob',
  )
  t.equal(
    said('notification.created', { chain: ['site:f=forum.example', 'topic:5=Oil', 'notification:1'] }),
    'Ada triggered a notification about Oil',
  )
  t.equal(said('tag.updated', { chain: ['site:f=forum.example', 'tag:5=oil'] }), 'Ada changed tag oil')
})

t.test(
  'the actor is not repeated among the affected people, and people without a name are counted as users',
  async t => {
    const direct = { chain: ['realm:z=chat.example', 'direct_conversation:1,2,3=Ada, Bob, Cy', 'message:9'] }
    t.equal(said('message.created', direct), 'Ada wrote to Bob and Cy')
    t.equal(said('message.created', { chain: ['direct_conversation:1=Ada', 'message:9'] }), 'Ada wrote to Ada')
    const user = { chain: ['site:f=forum.example', 'user:17'], metadata: { concerned: { id: '17' } } }
    t.equal(said('user.suspended', user), 'Ada suspended user 17')
    t.equal(said('user.suspended', { ...user, actor: {} }), 'User 17 was suspended')
    const crew = { concerned: { id: '2', display: 'Bob' }, team: 'crew' }
    t.equal(said('group_member.added', { chain: ['group:4=crew'], metadata: crew }), 'Ada added Bob to crew')
    t.equal(
      said('member_approval.denied', {
        chain: ['owner:90'],
        metadata: { ...crew, role: 'owner' },
        outcome: 'rejected',
      }),
      'Ada denied role owner for Bob',
    )
  },
)

t.test('an object without name and id does not get the name of its parent', async t => {
  const target = { type: 'label', parent: { type: 'site', key: 'site:f', display: 'forum.example' } }
  t.equal(
    sentenceText({ kind: 'label.created', actor: { display: 'Ada' }, target, action: {} }),
    'Ada created a label in forum.example',
  )
})

t.test('each change is reported once', async t => {
  const changes = { name: { from: 'looms', to: 'cards' } }
  const cards = { chain: ['realm:z=chat.example', 'stream:4=cards'], metadata: { changes } }
  t.equal(said('stream.updated', cards), 'Ada renamed channel looms to cards')
  const role = { changes: { role: { to: 'on_leave' } }, concerned: { id: '2', display: 'Bob' } }
  t.equal(said('realm_user.updated', { metadata: role }), 'Ada changed the role of Bob: now on leave')
  const states = { changes: { state_id: { from: 1, to: 2 } } }
  t.equal(said('pull_request.closed', { metadata: states }), 'Ada closed tide/relay › #12 Late')
})

t.test('the outcome is always shown', async t => {
  const run = { chain: [REPOSITORY, 'commit:abc=abc', 'workflow_run:3=test'] }
  t.equal(said('workflow_run.completed', { ...run, outcome: 'failed' }), 'Ada ran workflow test on tide/relay: failed')
  t.equal(
    said('workflow_run.in_progress', { ...run, outcome: 'running' }),
    'Ada is running workflow test on tide/relay',
  )
  t.equal(
    said('workflow_job.completed', { ...run, outcome: 'skipped' }),
    'Ada requested job test on tide/relay: skipped',
  )
  t.equal(said('pipeline.success', { ...run, actor: {} }), 'Pipeline test on tide/relay: succeeded')
  t.equal(said('review.submitted', { outcome: 'approved' }), 'Ada approved tide/relay › #12 Late')
  t.equal(said('review.submitted', { outcome: 'changes_requested' }), 'Ada requested changes to tide/relay › #12 Late')
  t.equal(said('issue.closed', { outcome: 'not_planned' }), 'Ada closed tide/relay › #12 Late: not planned')
  t.equal(said('pull_request.merged', { outcome: 'merged' }), 'Ada merged tide/relay › #12 Late')
  const deployment = { chain: [REPOSITORY, 'deployment:1=bench', 'deployment_status:2=failure'] }
  t.equal(
    said('deployment_status.created', { ...deployment, metadata: { state: 'failure' } }),
    'Ada reported deployment to bench in tide/relay: failed',
  )
})

t.test('events stored before the outcome field existed take it from their metadata or payload', async t => {
  const run = { chain: [REPOSITORY, 'workflow_run:3=test'] }
  const failed = 'Ada ran workflow test on tide/relay: failed'
  t.equal(said('workflow_run.completed', { ...run, metadata: { conclusion: 'failure' } }), failed)
  t.equal(said('workflow_run.completed', { ...run, payload: { workflow_run: { conclusion: 'failure' } } }), failed)
  t.equal(said('workflow_run.completed', run), 'Ada ran workflow test on tide/relay')
  t.equal(
    said('review.submitted', { payload: { review: { state: 'APPROVED' } } }),
    'Ada approved tide/relay › #12 Late',
  )
  t.equal(
    said('check_run.rerequested', { ...run, metadata: { conclusion: 'failure' } }),
    'Ada requested another run of check test on tide/relay',
  )
})

t.test('labels, assignees, milestones, reviewers and changes are named', async t => {
  const at = 'tide/relay › #12 Late'
  t.equal(said('issue.labeled', { metadata: { label: { id: '1', display: 'bug' } } }), `Ada added label bug to ${at}`)
  t.equal(said('issue.labeled', { payload: { label: { name: 'bug' } } }), `Ada added label bug to ${at}`)
  t.equal(said('issue.labeled'), `Ada labelled ${at}`)
  t.equal(said('issue.assigned', { metadata: { assignee: 'Bob' } }), `Ada assigned Bob to ${at}`)
  t.equal(said('issue.milestoned', { metadata: { milestone: 'May' } }), `Ada added ${at} to milestone May`)
  t.equal(said('pull_request.review_requested', { metadata: { reviewer: 'Bob' } }), `Ada asked Bob to review ${at}`)
  t.equal(
    said('issue.updated', { metadata: { changes: { title: { from: 'Early', to: 'Late' } } } }),
    `Ada changed the title of ${at}: Early → Late`,
  )
  t.equal(
    said('issue.updated', { metadata: { changes: { title: {}, body: {}, labels: {}, type: {} } } }),
    `Ada changed the title, body and more of ${at}`,
  )
  t.equal(
    said('dependabot_alert.created', {
      chain: [REPOSITORY, 'dependabot_alert:7/20=#20'],
      metadata: { severity: 'high', package: 'lodash' },
    }),
    'Dependabot alert tide/relay › #20 was opened: lodash, high severity',
  )
})

t.test('commits pushed to a pull request are no edit of it, and a forum notice is no reply', async t => {
  const pushed = 'Ada pushed commits to tide/relay › #12 Late'
  t.equal(said('pull_request.updated', { metadata: { native_action: 'synchronize' } }), pushed)
  t.equal(said('pull_request.updated', { metadata: { native_action: 'update', old_revision: '7e6d5c' } }), pushed)
  t.equal(said('pull_request.updated'), 'Ada changed tide/relay › #12 Late')
  const topic = { type: 'topic', key: 'topic:5', display: 'Oil' }
  const target = { type: 'post', key: 'post:9', metadata: { action_code: 'closed.enabled' }, parent: topic }
  const event = { kind: 'reply.created', action: {}, target }
  t.equal(sentenceText({ ...event, actor: { display: 'system' } }), 'system posted notice closed enabled in Oil')
  t.equal(sentenceText(event), 'Notice closed enabled was posted in Oil')
})

t.test('an unknown kind is shown with the event’s own words, and no sentence is guessed', async t => {
  const chain = ['host:1=db-1']
  t.equal(said('backup.failed', { chain }), 'Ada · backup failed · db-1')
  t.equal(said('backup.failed', { chain, actor: {} }), 'Backup failed · db-1')
  t.equal(said('alarm.received', { chain, actor: { id: '9' } }), 'user 9 · alarm · db-1')
  t.equal(said('constructor.toString', { chain }), 'Ada · constructor toString · db-1')
  t.equal(
    said('issue.constructor', { metadata: { value: 'constructor' } }),
    'Ada · issue constructor · tide/relay › #12 Late',
  )
  t.equal(sentenceText({ kind: 'alarm' }), 'Event')
  t.equal(sentenceText(undefined), 'Event')
})

t.test('every event has a sentence, and no input throws', async () => {
  const kinds = Object.entries(KIND_SENTENCES).flatMap(([type, verbs]) =>
    Object.keys(verbs).map(verb => `${type}.${verb}`),
  )
  const json = fc.jsonValue({ maxDepth: 3 })
  const metadata = fc.record(
    { concerned: json, label: json, changes: json, outcome: json, severity: json, moved_from: json },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.constantFrom(...kinds), json, json, json, metadata, (kind, actor, target, outcome, metadata) => {
      const [object_type, verb] = kind.split('.')
      const parts = sentenceOf({ kind, actor, target, action: { object_type, verb, outcome, metadata } })
      const texts = parts.flatMap(part => (part.kind === 'place' ? part.steps : [part.text]))
      return texts.length > 0 && texts.every(text => typeof text === 'string' && text !== '')
    }),
  )
})
