import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { HookMemory } from '../../../src/runtime/reconcile/hook-run.js'
import { rateLimited, respondWith } from '../../support/chat-server/fault.js'
import { listingPlatform } from '../../support/listing-platform/listing-platform.js'
import { anyDelivery, issueOpened, reconcileRig } from './reconcile-rig.js'

t.test('a run recognises delivered events, and fetches missed ones once', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, { source: 'code_a' })
  for (const number of [1, 2, 3]) github.note(issueOpened(number), { status: 200 })
  for (const number of [4, 5]) github.note(issueOpened(number))
  // It was received although the platform gave up waiting.
  for (const number of [1, 2, 3, 5]) await rig.receive('code_a', issueOpened(number))
  github.note({ headers: { 'x-github-event': 'ping', 'x-github-delivery': 'p' }, body: { zen: 'Speak.' } })

  t.match(await rig.reconcile(github), {
    listed: 6,
    delivered: 3,
    known: 1,
    ignored: 1,
    fetched: 1,
    missing: 0,
    gone: 0,
    complete: true,
  })
  const fetched = (await rig.events()).filter(({ provenance }) => provenance.route === 'capture')
  t.match(fetched, [
    { provenance: { verified: 'login', delivery_id: 'delivery-4' }, conversation: { title: 'Issue 4' } },
  ])
  t.match(await rig.reconcile(github), { listed: 6, delivered: 3, known: 2, fetched: 0 }, 'a second run finds nothing')
  t.equal(await rig.receive('code_a', issueOpened(4)), false, 'delivered late, it is a repeat')
})

t.test('a dry run records nothing and names the missing deliveries', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, { source: 'code_a' })
  github.note(issueOpened(1))
  t.match(await rig.reconcile(github, { dry_run: true }), {
    missing: 1,
    fetched: 0,
    lost: [{ delivery_id: 'delivery-1' }],
  })
  t.same(await rig.events(), [])
})

t.test('every page is read, and the attempts of one delivery count once', async t => {
  const rig = await reconcileRig(t)
  for (const source of ['code_a', 'code_b', 'forum'] as const) {
    const platform = await listingPlatform(t, { source })
    for (let number = 1; number <= 230; number++) platform.note(anyDelivery(source, number))
    platform.note(anyDelivery(source, 230), { isRedelivery: true })
    t.match(await rig.reconcile(platform), { listed: 230, fetched: 230, complete: true }, source)
    t.match(await rig.reconcile(platform), { listed: 230, fetched: 0, known: 230 }, `${source}, again`)
  }
})

t.test('a delivery before the period is ignored', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, { source: 'code_a' })
  github.note(issueOpened(1), { at: Date.now() - 2 * 86_400_000 })
  github.note(issueOpened(2))
  t.match(await rig.reconcile(github, { since_seconds: 86_400 }), { listed: 1, fetched: 1 })
})

t.test('a wrong clock hides no delivery, and is reported', async t => {
  for (const hours of [-5, 5]) {
    const rig = await reconcileRig(t)
    const github = await listingPlatform(t, { source: 'code_a', clockAheadMs: hours * 3_600_000 })
    github.note(issueOpened(1), { status: 200 })
    github.note(issueOpened(2))
    await rig.receive('code_a', issueOpened(1))
    const report = await rig.reconcile(github, { since_seconds: 600 })
    t.match(report, { listed: 2, delivered: 1, fetched: 1 })
    t.ok(Math.abs((report.clock_ahead_seconds ?? 0) - hours * 3_600) < 30)
  }
})

t.test('a delivery that arrives while the list is read is one event', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, {
    source: 'code_a',
    onAsked: async ({ path }) => {
      if (/\/deliveries\/\d+$/.test(path)) await rig.receive('code_a', issueOpened(1))
    },
  })
  github.note(issueOpened(1))
  t.match(await rig.reconcile(github), { listed: 1, known: 1, fetched: 0 })
  t.equal((await rig.events()).length, 1)
})

t.test('a run waits for a rate limit that ends soon', async t => {
  const rig = await reconcileRig(t)
  const waits: (number | undefined)[] = []
  const github = await listingPlatform(t, {
    source: 'code_a',
    fault: ({ index }) => (index === 0 ? rateLimited(0.2) : index === 1 ? secondaryLimit() : undefined),
  })
  github.note(issueOpened(1))
  const onProgress = ({ waiting_seconds }: { waiting_seconds?: number }) => waits.push(waiting_seconds)
  t.match(await rig.reconcile(github, {}, { onProgress }), { fetched: 1, complete: true })
  const [first = 0, ...others] = waits
  t.ok(first > 0 && first <= 0.2, `until the limit is over: ${first} s`)
  t.same(others, [0.2, undefined])
})

t.test('a long rate limit ends the run, and the next one continues it', async t => {
  const rig = await reconcileRig(t)
  let isLimited = true
  const github = await listingPlatform(t, {
    source: 'code_a',
    fault: ({ path }) => {
      if (!isLimited || !path.endsWith('/deliveries/1')) return undefined
      const reset = String(Math.ceil(Date.now() / 1_000) + 600)
      return respondWith(403, {}, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
    },
  })
  for (let number = 1; number <= 101; number++) github.note(issueOpened(number))
  const report = await rig.reconcile(github)
  t.match(report, { fetched: 100, complete: false, error: { code: 'platform_rate_limited' } })
  t.ok((report.error?.retryAfterSeconds ?? 0) > 500)
  isLimited = false
  t.match(await rig.reconcile(github), { fetched: 1, known: 100, complete: true })
})

t.test('a temporary server error is retried, and a lasting one ends the run', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, {
    source: 'code_a',
    fault: ({ index }) => (index === 0 ? respondWith(502, {}) : index === 2 ? { kind: 'half' } : undefined),
  })
  github.note(issueOpened(1))
  t.match(await rig.reconcile(github), { fetched: 1, complete: true })
  await github.close()
  t.match(await rig.reconcile(github), { complete: false, error: { code: 'platform_unreachable' } })
})

t.test('a refused token and an unknown hook are reported without the token', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, { source: 'code_a' })
  const refused = { ...github, hook: { ...github.hook, token: 's3cret' } }
  const report = await rig.reconcile(refused)
  t.match(report, { complete: false, error: { code: 'platform_credentials_refused', category: 'unauthenticated' } })
  t.notMatch(JSON.stringify(report), 's3cret')
  const unknown = { ...github, hook: { ...github.hook, url: github.hook.url.replace('acme', 'other') } }
  t.match(await rig.reconcile(unknown), { error: { code: 'hook_unknown' } })
})

t.test('an answer that is not a list ends the run', async t => {
  const rig = await reconcileRig(t)
  for (const source of ['code_a', 'code_b', 'forum'] as const) {
    for (const body of ['{}', '[', '"text"', '{"web_hook_events":{}}']) {
      const platform = await listingPlatform(t, { source, fault: () => ({ kind: 'answer', status: 200, body }) })
      t.match(await rig.reconcile(platform), { error: { code: 'platform_answer_unreadable' } }, `${source} ${body}`)
    }
  }
})

t.test('a delivery without a body in the list counts as missing while no server can receive it again', async t => {
  const rig = await reconcileRig(t)
  const github = await listingPlatform(t, { source: 'code_a' })
  github.note(issueOpened(1), { isBodiless: true })
  const report = await rig.reconcile(github)
  t.match(report, { missing: 1, lost: [{ delivery_id: 'delivery-1', reason: /No server runs/ }] })
})

t.test('a delivery that the platform can no longer send counts as gone', async t => {
  const rig = await reconcileRig(t, { receives: true })
  for (const source of ['code_b', 'forum'] as const) {
    const platform = await listingPlatform(t, { source })
    platform.note(anyDelivery(source, 1), { isBodiless: true })
    t.match(await rig.reconcile(platform), { gone: 1, missing: 0, complete: true }, source)
  }
})

t.test('a permanently lost delivery is counted by each run of a schedule, and named by the first', async t => {
  const rig = await reconcileRig(t, { receives: true })
  const forum = await listingPlatform(t, { source: 'forum' })
  forum.note(anyDelivery('forum', 1), { isBodiless: true })
  const memory = new Map<string, HookMemory>()
  const run = async () => {
    const { gone, lost } = await rig.reconcile(forum, {}, { memory })
    return [gone, lost.length, memory.get(forum.hook.url)?.hasNewlyGone]
  }
  t.same(await run(), [1, 1, true])
  const asked = () => forum.asked.filter(({ method }) => method === 'POST').length
  const before = asked()
  forum.note(anyDelivery('forum', 2))
  t.same(await run(), [1, 0, false])
  t.equal(asked(), before, 'and it is not asked for again')
  forum.note(anyDelivery('forum', 3), { isBodiless: true })
  t.same(await run(), [2, 1, true])
})

t.test('later runs of a schedule stop at the deliveries that earlier runs settled', async t => {
  const rig = await reconcileRig(t)
  const gitlab = await listingPlatform(t, { source: 'code_b' })
  for (let number = 1; number <= 100; number++) gitlab.note(anyDelivery('code_b', number))
  const memory = new Map()
  await rig.reconcile(gitlab, {}, { memory })
  const asked = gitlab.asked.length
  gitlab.note(anyDelivery('code_b', 101))
  t.match(await rig.reconcile(gitlab, {}, { memory }), { fetched: 1, complete: true })
  t.ok(gitlab.asked.length - asked <= 2, 'two pages of six')
})

t.test('a schedule remembers a bounded number of deliveries of a hook, and compares forgotten ones again', async t => {
  const rig = await reconcileRig(t)
  const gitlab = await listingPlatform(t, { source: 'code_b' })
  for (let number = 1; number <= 100; number++) gitlab.note(anyDelivery('code_b', number))
  const memory = new Map([[gitlab.hook.url, new HookMemory(30)]])
  t.match(await rig.reconcile(gitlab, {}, { memory }), { fetched: 100, complete: true })
  t.equal(gitlab.tried.filter(({ id }) => memory.get(gitlab.hook.url)?.isSettled(String(id))).length, 10)
  t.match(await rig.reconcile(gitlab, {}, { memory }), { listed: 100, fetched: 0, complete: true })
})

t.test('the hook of a GitHub App is read with tokens that its private key has signed', async t => {
  const rig = await reconcileRig(t, { receives: true })
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const app = { id: 'Iv23liExample', key, publicKey }
  const github = await listingPlatform(t, {
    source: 'code_a',
    app,
    onAsked: async ({ method }) => {
      if (method === 'POST') await rig.receive('code_a', issueOpened(3))
    },
  })
  for (const number of [1, 2]) github.note(issueOpened(number))
  t.match(await rig.reconcile(github), { listed: 2, fetched: 2, missing: 0, complete: true })
  const paths = new Set(github.asked.map(({ method, path }) => `${method} ${path}`))
  t.same([...paths], ['GET /app/hook/deliveries', 'GET /app/hook/deliveries/2', 'GET /app/hook/deliveries/1'])
  github.note(issueOpened(3), { isBodiless: true })
  t.match(await rig.reconcile(github), { missing: 0, complete: true })
  t.ok(github.asked.some(({ method, path }) => method === 'POST' && path === '/app/hook/deliveries/3/attempts'))
  t.equal((await rig.events()).length, 3)

  const other = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const refusing = await listingPlatform(t, { source: 'code_a', app: { ...app, publicKey: other.publicKey } })
  const { error } = await rig.reconcile(refusing)
  t.match(error, { code: 'platform_credentials_refused', message: /^(?!.*(?:eyJ|PRIVATE))/u })
})

function secondaryLimit() {
  return respondWith(403, { message: 'You have exceeded a secondary rate limit.' }, { 'retry-after': '0' })
}
