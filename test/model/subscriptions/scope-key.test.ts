import fc from 'fast-check'
import t from 'tap'
import type { TargetNode } from '../../../src/model/events/event.js'
import { parseTarget, scopeKeysOf, toScopeKey, toTarget } from '../../../src/model/subscriptions/scope-key.js'
import type { Scope } from '../../../src/model/subscriptions/subscription.js'
import { TARGET_FORMS } from '../../../src/model/subscriptions/target-grammar.js'
import { anyCharacter } from '../../support/any-character.js'

const REFUSED = { name: 'AppError', category: 'invalid', code: 'invalid_field', errors: [{ field: '/target' }] }

function covers(source: string, target: string, node: TargetNode): boolean {
  return scopeKeysOf(node).includes(parseTarget(source, target).scopeKey)
}

t.test('a target determines the scope and the filters', async t => {
  const cases: [source: string, target: string, filters: Record<string, unknown>, scope: Scope][] = [
    ['chat', 'stream:eng', { stream: 'eng' }, { type: 'stream', display: 'eng' }],
    [
      'chat',
      'stream:a%2Fb 100%25/topic:✔ deploys',
      { stream: 'a/b 100%', topic: '✔ deploys' },
      { type: 'topic', display: '✔ deploys', parent: { type: 'stream', display: 'a/b 100%' } },
    ],
    [
      'chat',
      'stream:eng/topic:',
      { stream: 'eng', topic: '' },
      { type: 'topic', display: '', parent: { type: 'stream', display: 'eng' } },
    ],
    ['forum', 'category:5', { category: 5 }, { type: 'category', key: 'category:5' }],
    ['forum', 'category:support', { category: 'support' }, { type: 'category', display: 'support' }],
    ['forum', 'topic:0123', { topic: 123 }, { type: 'topic', key: 'topic:123' }],
    ['code_a', 'repo:Ada/Engine', { repository: 'Ada/Engine' }, { type: 'repository', display: 'Ada/Engine' }],
    [
      'code_a',
      'repo:ada/engine/issue:12',
      { repository: 'ada/engine', issue: 12 },
      {
        type: 'issue',
        display: '#12',
        metadata: { number: 12 },
        parent: { type: 'repository', display: 'ada/engine' },
      },
    ],
    [
      'code_b',
      'project:group/sub/name/merge_request:7',
      { repository: 'group/sub/name', pull_request: 7 },
      {
        type: 'pull_request',
        display: '#7',
        metadata: { number: 7 },
        parent: { type: 'repository', display: 'group/sub/name' },
      },
    ],
  ]
  for (const [source, target, filters, scope] of cases) {
    const parsed = parseTarget(source, target)
    t.strictSame(parsed.filters, filters, target)
    t.strictSame(parsed.scope, scope, target)
  }
})

t.test('aliases give the same scope', async t => {
  const same = ['repo:ada/engine', 'project:ada/engine', 'repository:ada/engine', 'repo:ADA/Engine']
  for (const target of same) t.equal(parseTarget('code_b', target).scopeKey, 'repository:ada/engine', target)
  t.equal(
    parseTarget('code_b', 'project:a/b/merge_request:1').scopeKey,
    parseTarget('code_b', 'repo:a/b/pull_request:1').scopeKey,
  )
})

t.test('a target outside the grammar is refused, with the grammar', async t => {
  const cases: Record<string, string[]> = {
    chat: [
      '',
      'eng',
      'stream:',
      'stream:/topic:x',
      'topic:x',
      'stream:a/b',
      'stream:a/topic:b/c',
      'stream:100%',
      'repo:a/b',
    ],
    forum: ['category:', 'category:..', 'topic:', 'topic:x', 'topic:-1', 'category:a/b', `topic:${'9'.repeat(16)}`],
    code_a: [
      'repo:',
      'repo:engine',
      'repo:ada/',
      'repo:/engine',
      'repo:a/b/c',
      'repo:a//b',
      'repo:a/b/issue:',
      'repo:a/b/issue:x',
      'repo:a/b/issue:1/2',
      'repo:a/b/isue:12',
      'repo:a%2Fb/c',
      'repo:../user',
      'repo:ada/..',
      'repo:./engine',
      'repo:a/b%',
      'issue:12',
      'stream:eng',
    ],
    code_b: ['project:engine', 'project:a/b/', 'project:a/b/merge_request:0x1'],
  }
  for (const [source, targets] of Object.entries(cases)) {
    for (const target of targets) t.throws(() => parseTarget(source, target), REFUSED, `${source} "${target}"`)
    const example = TARGET_FORMS[source as keyof typeof TARGET_FORMS][0]?.example ?? ''
    t.throws(() => parseTarget(source, targets[0] ?? ''), { message: new RegExp(example, 'u') }, 'shows an example')
  }
})

t.test('sources without a grammar accept any text as the key of a node', async t => {
  for (const target of ['pipeline:7', 'anything / at % all', 'stream:eng']) {
    const parsed = parseTarget('ci', target)
    t.strictSame(parsed, { scopeKey: target, scope: { key: target }, filters: {} })
    t.equal(toTarget('ci', parsed), target)
    t.ok(covers('ci', target, { type: 'x', key: target }))
  }
})

const chatMessage: TargetNode = {
  type: 'message',
  key: 'message:8812',
  parent: {
    type: 'topic',
    key: 'topic:4/deploys',
    display: 'deploys',
    parent: { type: 'stream', key: 'stream:4', display: 'eng' },
  },
}

t.test('a chat scope covers its messages and no others', async t => {
  t.ok(covers('chat', 'stream:eng', chatMessage))
  t.ok(covers('chat', 'stream:eng/topic:deploys', chatMessage))
  t.notOk(covers('chat', 'stream:eng/topic:Deploys', chatMessage), 'names are compared as they are')
  t.notOk(covers('chat', 'stream:ops/topic:deploys', chatMessage))
  t.notOk(covers('chat', 'stream:4', chatMessage), 'a stream that is called 4 is not the one with id 4')
  const called4: TargetNode = { type: 'stream', key: 'stream:9', display: '4' }
  t.ok(covers('chat', 'stream:4', called4))
  t.notOk(scopeKeysOf(called4).includes('stream:4'))
})

t.test('slashes in names keep two scopes distinct', async t => {
  const topic = (stream: string, name: string): TargetNode => ({
    type: 'topic',
    display: name,
    parent: { type: 'stream', display: stream },
  })
  t.notOk(covers('chat', 'stream:a/topic:b', topic('a/topic:b', '')))
  t.ok(covers('chat', 'stream:a%2Fb/topic:c%2Fd', topic('a/b', 'c/d')))
  t.ok(covers('chat', 'stream:%2541/topic:', topic('%41', '')))
})

t.test('a forum scope matches by id or by slug', async t => {
  const post: TargetNode = {
    type: 'post',
    key: 'post:900',
    parent: {
      type: 'topic',
      key: 'topic:123',
      display: '456',
      parent: { type: 'category', key: 'category:5', display: 'Support', metadata: { slug: 'support' } },
    },
  }
  for (const target of ['topic:123', 'category:5', 'category:support']) t.ok(covers('forum', target, post), target)
  for (const target of ['topic:456', 'category:6', 'category:sup']) t.notOk(covers('forum', target, post), target)
})

t.test('a repository scope covers everything in the repository, at any depth and in any letter case', async t => {
  const comment = (path: string, type: string, number: unknown): TargetNode => ({
    type: 'comment',
    key: 'comment:1',
    parent: {
      type,
      key: `${type}:444`,
      display: `#${number} A title`,
      metadata: { number },
      parent: { type: 'repository', key: 'repository:21', display: path, parent: { type: 'owner', key: 'owner:1' } },
    },
  })
  const issue = comment('Ada/Engine', 'issue', 12)
  for (const target of ['repo:ada/engine', 'repo:ADA/ENGINE/issue:12']) t.ok(covers('code_a', target, issue), target)
  for (const target of ['repo:ada/engine/issue:1', 'repo:ada/engine/pull_request:12', 'repo:ada/mill/issue:12']) {
    t.notOk(covers('code_a', target, issue), target)
  }
  t.ok(scopeKeysOf(issue).includes('issue:444'), 'and by each native id')
  t.notOk(scopeKeysOf(issue).includes('issue:12'), 'a number alone is not an id')
  const nested = comment('group/sub/name', 'pull_request', '7')
  for (const target of ['project:group/sub/name', 'repo:group/sub/name/merge_request:7']) {
    t.ok(covers('code_b', target, nested), target)
  }
  t.notOk(covers('code_b', 'project:group/sub', nested), 'a group is not its projects')
})

t.test('a scope key is the key of the scope, or else its type and display', async t => {
  t.equal(toScopeKey('chat', { type: 'stream', key: 'stream:4', display: 'eng' }), 'stream:4')
  t.equal(toScopeKey('chat', { type: 'channel', display: 'eng' }), 'stream:eng')
  t.equal(toScopeKey('chat', { type: 'topic', display: 'deploys' }), 'topic:deploys')
  t.equal(toScopeKey('code_a', { type: 'branch', display: 'main' }), 'branch:main')
  t.equal(toScopeKey('ci', { type: 'service', display: 'payments' }), 'service:payments')
  t.equal(toScopeKey('ci', {}), undefined)
  const branch: TargetNode = { type: 'branch', display: 'main', parent: { type: 'repository', display: 'Ada/Engine' } }
  t.ok(scopeKeysOf(branch).includes(toScopeKey('code_a', branch) ?? ''))
  t.ok(scopeKeysOf(branch).includes(toScopeKey('code_a', { type: 'branch', display: 'main' }) ?? ''))
})

t.test('a node of an event is accepted as a scope', async t => {
  const issue: TargetNode = {
    type: 'issue',
    display: '#12 A title',
    parent: { type: 'repository', display: 'Ada/Engine' },
  }
  t.equal(toTarget('code_a', { scope: issue }), 'repo:Ada/Engine/issue:12')
  t.equal(toScopeKey('code_a', issue), 'repository:ada/engine/issue:12')
  t.equal(toTarget('chat', { scope: chatMessage.parent }), 'stream:eng/topic:deploys')
})

t.test('a scope that the grammar cannot express has no target', async t => {
  t.equal(toTarget('code_a', { scope: { type: 'branch', display: 'main' } }), undefined)
  t.equal(toTarget('code_a', { scope: { key: 'repository:21' } }), undefined)
  t.equal(toTarget('code_a', {}), undefined)
  const filters = [{}, { stream: 4 }, { topic: 'x' }, { stream: 'eng', topic: 9 }, { stream: '' }]
  for (const given of filters) t.equal(toTarget('chat', { filters: given }), undefined, JSON.stringify(given))
  t.equal(toTarget('code_a', { filters: { repository: 'a/b', issue: 'x' } }), undefined)
  t.equal(toTarget('forum', { filters: { category: {} } }), undefined)
})

const name = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom('1', '%', '/'),
)
const segment = fc.stringMatching(/^[A-Za-z0-9_.%-]{1,20}$/u).filter(text => text !== '.' && text !== '..')
const filters = fc.oneof(
  fc.record({ source: fc.constant('chat'), filters: fc.record({ stream: name }) }),
  fc.record({
    source: fc.constant('chat'),
    filters: fc.record({ stream: name, topic: fc.string({ unit: 'grapheme' }) }),
  }),
  fc.record({ source: fc.constant('forum'), filters: fc.record({ category: fc.nat() }) }),
  fc.record({
    source: fc.constant('forum'),
    filters: fc.record({ category: fc.stringMatching(/^[a-z][a-z/%-]{0,9}$/u) }),
  }),
  fc.record({ source: fc.constant('forum'), filters: fc.record({ topic: fc.nat() }) }),
  fc.record({
    source: fc.constant('code_b'),
    filters: fc.record(
      { repository: fc.array(segment, { minLength: 2, maxLength: 5 }).map(path => path.join('/')), issue: fc.nat() },
      { requiredKeys: ['repository'] },
    ),
  }),
)

t.test('target, scope and filters derive from each other without loss', async () => {
  fc.assert(
    fc.property(filters, given => {
      const target = toTarget(given.source, given)
      if (target === undefined) return false
      const parsed = parseTarget(given.source, target)
      return (
        JSON.stringify(parsed.filters) === JSON.stringify(given.filters) &&
        toTarget(given.source, { scope: parsed.scope }) === target &&
        toTarget(given.source, { filters: parsed.filters }) === target &&
        toScopeKey(given.source, parsed.scope) === parsed.scopeKey
      )
    }),
    { numRuns: 500 },
  )
})

t.test('two different scopes have different keys', async () => {
  fc.assert(
    fc.property(filters, filters, (one, other) => {
      if (one.source !== other.source) return true
      const [left, right] = [one, other].map(given => toTarget(given.source, given) ?? '')
      const same = one.source === 'code_b' ? left?.toLowerCase() === right?.toLowerCase() : left === right
      const keys = [left, right].map(target => parseTarget(one.source, target ?? '').scopeKey)
      return (keys[0] === keys[1]) === same
    }),
    { numRuns: 500 },
  )
})

t.test('an event is covered by every scope that its own chain names', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), fc.string({ unit: anyCharacter }), (stream, topic) => {
      const target = toTarget('chat', { filters: { stream, topic } }) ?? ''
      return covers('chat', target, {
        type: 'message',
        parent: { type: 'topic', display: topic, parent: { type: 'stream', display: stream } },
      })
    }),
  )
})
