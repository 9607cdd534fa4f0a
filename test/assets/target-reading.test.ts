import fc from 'fast-check'
import t from 'tap'
import { nearTargets, readTarget, targetStretches } from '../../assets/observatory/subscriptions/form/target-reading.js'
import { parseTarget } from '../../src/model/subscriptions/scope-key.js'

const UNDERSTOOD: [source: string, text: string, pieces: string, words: string][] = [
  ['chat', 'stream:eng', 'stream eng', 'One stream, every topic in it.'],
  ['chat', 'stream:eng/topic:release notes', 'stream eng › topic release notes', 'One topic in one stream.'],
  ['chat', 'stream:a%2Fb/topic:100%25', 'stream a/b › topic 100%', 'One topic in one stream.'],
  ['forum', 'category:support', 'category support', 'One category, every topic in it.'],
  ['forum', 'topic:0123', 'topic 123', 'One topic, every reply in it.'],
  ['code_a', 'repo:ada/engine', 'repository ada/engine', 'One repository, everything in it.'],
  ['code_a', 'repo:ada/engine/issue:12', 'repository ada/engine › issue 12', 'One issue in one repository.'],
  [
    ...(['code_b', 'project:ada/tools/engine/merge_request:34'] as const),
    ...(['project ada/tools/engine › merge request 34', 'One merge request in one project.'] as const),
  ],
]

t.test('a well-formed target is split into its named parts', async t => {
  for (const [source, text, pieces, words] of UNDERSTOOD) {
    const reading = readTarget(source, text)
    if (reading.kind !== 'understood') throw new Error(`${text}: ${reading.kind}`)
    t.equal(reading.pieces.map(({ keyword, name }) => `${keyword} ${name}`).join(' › '), pieces)
    t.equal(reading.words, words)
  }
  t.equal(readTarget('chat', '').kind, 'whole')
  t.match(readTarget('backup', 'service:payments'), { kind: 'understood', pieces: { length: 0 } })
})

const PROBLEMS: [source: string, text: string, words: RegExp, fix: string | undefined][] = [
  ['chat', 'topic:deploys', /needs its stream first/, 'stream:eng/topic:deploys'],
  ['chat', 'eng', /Begin with the kind/, 'stream:eng'],
  ['chat', '#eng > release notes', /As a target:/, 'stream:eng/topic:release notes'],
  ['chat', 'channel:eng', /keyword is "stream"/, 'stream:eng'],
  ['chat', 'Stream:eng', /keyword is "stream"/, 'stream:eng'],
  ['chat', 'stream:a/b', /%2F/, 'stream:a%2Fb'],
  ['chat', 'stream:', /needs a name/, 'stream:eng'],
  ['chat', 'stream:50%', /%25/, 'stream:50%25'],
  ['chat', ' stream:eng', /blanks around/, 'stream:eng'],
  ['chat', '   ', /Only blanks/, undefined],
  ['chat', 'user:9', /a stream or a topic/, 'stream:eng/topic:deploys'],
  [
    ...(['chat', 'https://chat.example.org/#narrow/channel/4-eng/topic/release.20notes/near/8'] as const),
    ...([/a link/, 'stream:eng/topic:release notes'] as const),
  ],
  ['forum', 'topic:retry', /by its number/, 'topic:123'],
  ['forum', '123', /Begin with the kind/, 'topic:123'],
  ['forum', 'support', /Begin with the kind/, 'category:support'],
  ['forum', 'category:staff/support', /without its parent/, 'category:support'],
  ['forum', 'https://forum.example.org/t/retry-budgets/4127/3', /a link/, 'topic:4127'],
  ['code_a', 'ada/engine', /Begin with the kind/, 'repo:ada/engine'],
  ['code_a', 'ada/engine#12', /Begin with the kind/, 'repo:ada/engine/issue:12'],
  ['code_a', 'repo:engine', /needs its owner/, 'repo:ada/engine'],
  ['code_a', 'repo:ada/engine/pr:34', /in full/, 'repo:ada/engine/pull_request:34'],
  ['code_a', 'repo:ada/engine/issue:#12', /by its number/, 'repo:ada/engine/issue:12'],
  ['code_a', 'repo:ada/engine/issue:twelve', /by its number, as in/, 'repo:ada/engine/issue:12'],
  ['code_a', 'repo:ada/engine/', /too many/, 'repo:ada/engine'],
  ['code_a', 'repo:ada/engine/src', /its owner and its name/, 'repo:ada/engine'],
  ['code_a', 'https://github.com/ada/engine/pull/34/files', /a link/, 'repo:ada/engine/pull_request:34'],
  ['code_a', 'https://github.com/ada/engine.git', /a link/, 'repo:ada/engine'],
  [
    ...(['code_b', 'https://gitlab.com/ada/tools/engine/-/merge_requests/34'] as const),
    ...([/a link/, 'project:ada/tools/engine/merge_request:34'] as const),
  ],
  ['code_b', 'ada/tools/engine!34', /Begin with the kind/, 'project:ada/tools/engine/merge_request:34'],
]

t.test('a problem is a sentence, with the text that the user probably meant', async t => {
  for (const [source, text, words, fix] of PROBLEMS) {
    const reading = readTarget(source, text)
    if (reading.kind !== 'problem') throw new Error(`${text}: ${reading.kind}`)
    t.match(reading.words, words, text)
    t.equal(reading.fix, fix, text)
  }
})

t.test('a missing name is taken from an existing subscription', async t => {
  t.match(readTarget('chat', 'topic:deploys', ['', 'stream:ops/topic:incident', 'stream:eng']), {
    fix: 'stream:ops/topic:deploys',
  })
})

const SOURCES = ['chat', 'forum', 'code_a', 'code_b']
const PARTS = ['stream', 'topic', 'category', 'repo', 'project', 'issue', 'pull_request', 'pr', ':', ':', '/', '/', '%']
const anyTarget = fc
  .array(
    fc.oneof(fc.constantFrom(...PARTS, '12', 'ada', '#', '>', ' ', '%2F', 'é', '\n'), fc.string({ maxLength: 3 })),
    {
      minLength: 1,
      maxLength: 9,
    },
  )
  .map(parts => parts.join(''))

t.test('a target is understood exactly when the server accepts it, and so is every suggested text', async t => {
  const takes = (source: string, text: string) => {
    try {
      parseTarget(source, text)
      return true
    } catch {
      return false
    }
  }
  const property = fc.property(fc.constantFrom(...SOURCES), anyTarget, (source, text) => {
    if (text === '') return true
    const reading = readTarget(source, text)
    if ((reading.kind === 'understood') !== takes(source, text)) return false
    return reading.kind !== 'problem' || reading.fix === undefined || takes(source, reading.fix)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 4000 }))
})

t.test('keywords are muted, and no text is lost', async t => {
  const shown = (source: string, target: string) =>
    targetStretches(source, target).map(({ text, isKeyword }) => (isKeyword ? `(${text})` : text))
  t.same(shown('chat', 'stream:eng/topic:deploys'), ['(stream:)', 'eng/', '(topic:)', 'deploys'])
  t.same(shown('code_a', 'repo:ada/engine/pull_request:34'), ['(repo:)', 'ada/engine/', '(pull_request:)', '34'])
  t.same(shown('backup', 'stream:eng'), ['stream:eng'], 'a source without a grammar has no keywords')
  const whole = fc.property(fc.constantFrom(...SOURCES), anyTarget, (source, target) => {
    const texts = targetStretches(source, target).map(({ text }) => text)
    return texts.join('') === target
  })
  t.doesNotThrow(() => fc.assert(whole))
})

t.test('targets that differ in a few letters, and longer ones, are suggested', async t => {
  const known = ['repo:tidepool/relay', 'repo:tidepool/ledger-client', 'stream:eng', '']
  t.same(nearTargets('repo:tidepool/rel', known), ['repo:tidepool/relay'])
  t.same(nearTargets('repo:tidepol/relay', known), ['repo:tidepool/relay'])
  t.same(nearTargets('category:news', known), [])
  t.same(nearTargets('x'.repeat(1024), known), [])
})
