import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { curlCommand } from '../../assets/observatory/events/event-commands.js'
import {
  cardLink,
  cardTitle,
  eventPath,
  platformLink,
  watchTarget,
} from '../../assets/observatory/events/event-links.js'
import { readTarget } from '../../assets/observatory/subscriptions/form/target-reading.js'
import type { StoredEvent } from '../../src/model/events/event.js'

const event = (change: Partial<StoredEvent>) =>
  ({
    dedupe_key: 'chat:message:1',
    kind: 'message.created',
    conversation: {},
    action: { kind: 'message.created', object_type: 'message', verb: 'created', metadata: {} },
    target: { type: 'topic', display: 'deploys' },
    provenance: { route: 'api', verified: 'none' },
    ...change,
  }) as StoredEvent

t.test('an event links only to http and https addresses, and to the nearest of them', async t => {
  const parent = { type: 'channel', url: 'https://chat.example.org/4' }
  t.equal(platformLink(event({ conversation: { url: 'https://a.example/1' } })), 'https://a.example/1')
  t.equal(platformLink(event({ target: { type: 'topic', url: 'javascript:alert(1)', parent } })), parent.url)
  for (const url of [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc',
    '//x.example',
    'x',
    '',
    `https://x.example/${'x'.repeat(8192)}`,
  ]) {
    t.equal(platformLink(event({ conversation: { url } })), undefined, url)
  }
  t.equal(platformLink(event({ conversation: { url: 7 as unknown as string } })), undefined)
})

t.test('the command names the token variable, and no content of an event can end its quotes', async t => {
  const base = 'http://127.0.0.1:8765/book'
  t.equal(
    curlCommand({ base, needsToken: true }, eventPath('chat:message/8796')),
    `curl -sS -H "Authorization: Bearer $EVENT_API_TOKEN" '${base}/api/events/chat%3Amessage%2F8796'`,
  )
  t.equal(curlCommand({ base, needsToken: false }, eventPath('a')), `curl -sS '${base}/api/events/a'`)
  const hostile = curlCommand(
    { base, needsToken: false },
    eventPath(`'; rm -rf ~; echo '$(id)\`id\`{a,b}[1-9]\n\ud800`),
  )
  t.equal(hostile.match(/'/g)?.length, 2)
  t.match(hostile, /^curl -sS '[^\s$`{}[\]]*'$/)
})

t.test(
  'the title of a card has the object, its outcome and its place, or the subject and the first line of the text',
  async t => {
    t.equal(cardTitle(event({ conversation: { text: ' Found it.\nMore' } })), 'deploys: Found it.')
    t.equal(cardTitle(event({})), 'deploys')
    const parent = { type: 'repository', display: 'acme/app' }
    const run = (type: string, outcome: string, more: object = {}) =>
      event({
        action: { kind: `${type}.completed`, object_type: type, verb: 'completed', outcome, metadata: {} },
        kind: `${type}.completed`,
        actor: { display: 'Ada' },
        conversation: { text: 'Make it lighter' },
        target: { type, display: 'ci', parent },
        ...more,
      } as Partial<StoredEvent>)
    const payload = { workflow_run: { head_branch: 'main' } }
    t.equal(cardTitle(run('workflow_run', 'failed', { payload })), 'Workflow ci failed on main of acme/app')
    t.equal(cardTitle(run('check_run', 'timed_out')), 'Check ci timed out on acme/app')
    t.equal(cardTitle(run('workflow_run', '')), 'ci: Make it lighter', 'without an outcome')
    t.equal([...cardTitle(event({ conversation: { text: '😀'.repeat(500) } }))].length, 200)
  },
)

t.test('the link to the board has the title and the key, encoded, in its fragment', async t => {
  const link = cardLink('http://127.0.0.1:8767/', event({ dedupe_key: 'a&link=b#c', conversation: { text: 'x & y' } }))
  t.equal(link, 'http://127.0.0.1:8767/#new?title=deploys%3A%20x%20%26%20y&link=a%26link%3Db%23c')
  const provenance = { route: 'api', verified: 'none', key_space: 'unverified' } as const
  t.match(cardLink('http://127.0.0.1:8767/', event({ provenance })), /link=unverified%3Achat%3Amessage%3A1$/)
})

t.test('the place of an event is a target that the form accepts, or is absent', async t => {
  const folder = new URL('../platforms/fixtures/', import.meta.url)
  const found = ['chat', 'code-a', 'code-b', 'forum'].flatMap(platform =>
    readdirSync(new URL(platform, folder))
      .filter(name => /\.events?\.json$/.test(name))
      .flatMap((name): StoredEvent[] => JSON.parse(readFileSync(new URL(`${platform}/${name}`, folder), 'utf8')))
      .map(event => ({ source: event.source, target: watchTarget(event) })),
  )
  const targets = found.filter(({ target }) => target !== undefined)
  t.ok(targets.length > 100)
  for (const { source, target = '' } of targets)
    t.equal(readTarget(source, target).kind, 'understood', `${source} ${target}`)
  for (const target of ['repo:lovelace-labs/engine/pull_request:34', 'project:lovelace/mills/engine/merge_request:34'])
    t.ok(
      targets.some(other => other.target === target),
      target,
    )
  t.equal(watchTarget(event({ source: 'backup' })), undefined)
})
