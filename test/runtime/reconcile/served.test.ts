import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { HookReport, ListingSource, ReconcileStatus } from '../../../src/model/platforms/reconciliation.js'
import { reconcile } from '../../../src/runtime/reconcile/reconcile-command.js'
import { StoredReports } from '../../../src/runtime/reconcile/stored-reports.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'
import { readReconcileSettings } from '../../../src/settings/reconcile-settings.js'
import { openStoredLedger } from '../../ledger/stored-ledger.js'
import { freePort } from '../../support/free-port.js'
import { listingPlatform } from '../../support/listing-platform/listing-platform.js'
import { testFolder } from '../../support/test-folder.js'
import { type ServerHere, serveHere } from '../serve/serve-here.js'
import { anyDelivery, issueOpened, type Sent } from './reconcile-rig.js'

const SILENT = { onProgress: () => {}, onWaiting: () => {} }

t.test('deliveries that were missed during an outage are stored once after it', async t => {
  const home = testFolder(t)
  const port = String(await freePort())
  const receiver = `http://127.0.0.1:${port}/webhooks/code_a`
  const github = await listingPlatform(t, { source: 'code_a', receiver })
  const env = {
    EVENT_RECONCILE: 'on',
    EVENT_RECONCILE_HOOKS_CODE_A: github.hook.url,
    EVENT_RECONCILE_TOKEN_CODE_A: github.hook.token,
  }
  const first = await serveHere(t, { home, port, only: 'ledger' })
  github.note(issueOpened(1), { status: await send(receiver, issueOpened(1)) })
  await first.close()
  for (const number of [2, 3]) github.note(issueOpened(number))
  // The platform has lost its payload, so it has to deliver it again.
  github.note(issueOpened(4), { isBodiless: true })

  // It was away for less than a minute, so a command does what the hour would.
  const server = await serveHere(t, { home, port, only: 'ledger', env })
  const { hooks, ...local } = readReconcileSettings('all', {}, { ...processSources(), env, homedir: home })
  const result = await reconcile(local, { hooks, since_seconds: 3_600, dry_run: false }, SILENT)
  t.match(result.hooks, [{ listed: 4, delivered: 1, fetched: 2, redelivered: 1, missing: 0, gone: 0, complete: true }])
  t.same(await titlesOf(server), ['#1 Issue 1', '#2 Issue 2', '#3 Issue 3', '#4 Issue 4'])
})

t.test('GitLab and Discourse redeliver events that their lists do not contain', async t => {
  const home = testFolder(t)
  const server = await serveHere(t, { home, only: 'ledger' })
  const local = readLocalSettings({}, { ...processSources(), env: {}, homedir: home })
  for (const source of ['code_b', 'forum'] as const) {
    const platform = await listingPlatform(t, { source, receiver: `${server.url}/webhooks/${source}` })
    platform.note(anyDelivery(source, 1), { isBodiless: true })
    const request = { hooks: [platform.hook], since_seconds: 3_600, dry_run: false }
    t.match((await reconcile(local, request, SILENT)).hooks, [{ redelivered: 1, missing: 0, gone: 0 }], source)
  }
  t.equal((await titlesOf(server)).length, 2)
})

t.test('a server that starts after an outage fetches the missed deliveries', async t => {
  const github = await listingPlatform(t, { source: 'code_a' })
  for (const number of [1, 2]) github.note(issueOpened(number))
  const env = {
    EVENT_RECONCILE: 'on',
    EVENT_RECONCILE_HOOKS_CODE_A: github.hook.url,
    EVENT_RECONCILE_TOKEN_CODE_A: github.hook.token,
  }
  const server = await serveHere(t, { home: testFolder(t), only: 'ledger', env })
  while ((await titlesOf(server)).length < 2) await sleep(20)
  t.same(await titlesOf(server), ['#1 Issue 1', '#2 Issue 2'])
})

t.test('an administrator lists missing deliveries, and then fetches them, including refused ones', async t => {
  const home = testFolder(t)
  const port = String(await freePort())
  let mayAnswer = Promise.resolve()
  const github = await listingPlatform(t, { source: 'code_a', onAsked: () => mayAnswer })
  const env = {
    EVENT_RECONCILE: 'on',
    EVENT_RECONCILE_HOOKS_CODE_A: github.hook.url,
    EVENT_RECONCILE_TOKEN_CODE_A: github.hook.token,
    EVENT_WEBHOOK_SECRET_CODE_A: 'right',
    EVENT_ADMIN_TOKEN: 'an-admin-token-of-the-test',
  }
  const server = await serveHere(t, { home, port, only: 'ledger', env })
  const headers = { 'x-event-admin-token': env.EVENT_ADMIN_TOKEN, 'content-type': 'application/json' }
  const ask = async (
    path = '',
    body?: object,
  ): Promise<{ status: number; body: ReconcileStatus & { code?: string } }> => {
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const answer = await fetch(`${server.url}/api/reconciliations${path}`, { headers, ...sent })
    return { status: answer.status, body: (await answer.json()) as ReconcileStatus }
  }
  const ended = async () => {
    for (;;) {
      const { body } = await ask()
      if (body.running === null && body.last !== null) return body.last
      await sleep(20)
    }
  }
  t.match(await ended(), { dry_run: false, hooks: [{ listed: 0 }] }, 'that of the start')
  github.note(issueOpened(1), { status: await send(`${server.url}/webhooks/code_a`, issueOpened(1)) })

  let answer = () => {}
  mayAnswer = new Promise(resolve => {
    answer = resolve
  })
  const started = await ask('/run', { dry_run: true, since_seconds: 7_200 })
  t.match(started, {
    status: 202,
    body: { hooks: [{ source: 'code_a', url: github.hook.url }], running: { dry_run: true } },
  })
  t.match(await ask('/run', { dry_run: true }), { status: 409, body: { code: 'reconcile_running' } })
  answer()
  t.match(await ended(), { dry_run: true, since_seconds: 7_200, hooks: [{ missing: 1, fetched: 0 }] })
  t.equal((await ask('/run', { dry_run: false, source: 'code_a' })).status, 202)
  const last = await ended()
  t.match(last, { dry_run: false, hooks: [{ missing: 0, fetched: 1, lost: { length: 0 } }] })
  t.match(await ask('/run', { dry_run: false, source: 'forum' }), { status: 409, body: { code: 'reconcile_off' } })
  t.match(await ask('/run', { dry_run: 1 }), { status: 400, body: { code: 'invalid_field' } })
  t.notMatch(JSON.stringify(await ask()), github.hook.token)

  await server.close()
  const again = await serveHere(t, { home, port, only: 'ledger', env: { EVENT_ADMIN_TOKEN: env.EVENT_ADMIN_TOKEN } })
  const shown = (await (await fetch(`${again.url}/api/reconciliations`, { headers })).json()) as ReconcileStatus
  t.same(shown, { hooks: [], running: null, last, reports: [{ source: 'code_a', ...last }] }, 'after a restart')
  const { hooks: _, ...local } = readReconcileSettings('all', {}, { ...processSources(), env, homedir: home })
  await reconcile(local, { hooks: [github.hook], since_seconds: 60, dry_run: true }, SILENT)
  const byCommand = (await (await fetch(`${again.url}/api/reconciliations`, { headers })).json()) as ReconcileStatus
  t.match(byCommand.last, { dry_run: true, since_seconds: 60, hooks: [{ missing: 0 }] }, 'what a command has found')
})

t.test('the ledger keeps the last findings of its servers and commands for each platform', async t => {
  const { store } = await openStoredLedger(t, 1_900_000_000_000_000)
  const reports = new StoredReports(store.notes)
  const hook = (source: ListingSource) => ({ source, url: `https://${source}.example.org/hook` })
  const found = (source: ListingSource, lost = 0): HookReport => ({
    ...hook(source),
    listed: lost,
    delivered: 0,
    known: 0,
    ignored: 0,
    fetched: 0,
    redelivered: 0,
    gone: 0,
    missing: lost,
    complete: true,
    lost: Array.from({ length: lost }, (_, id) => ({ id: `${id}`, reason: 'x' })),
  })
  const request = { since_seconds: 60, dry_run: false }
  const own = { hooks: [], running: null }
  t.same(await reports.status(own), { hooks: [], running: null, last: null, reports: [] })
  const both = [hook('code_a'), hook('forum')]
  await reports.save({ ...request, hooks: both }, { hooks: [found('code_a'), found('forum')] }, '2031-05-04T09:00Z')
  t.match((await reports.status(own)).last, { hooks: [{ source: 'code_a' }, { source: 'forum' }] })
  const problem = { code: 'store_full', message: 'The disk is full.' }
  await reports.save({ ...request, hooks: [hook('forum')] }, { problem }, '2031-05-04T10:00Z')
  const { last, reports: all } = await reports.status(own)
  t.match(last, {
    at: '2031-05-04T10:00Z',
    hooks: { length: 0 },
    problem: { code: 'store_full', detail: 'The disk is full.' },
  })
  t.match(all, [
    { source: 'code_a', at: '2031-05-04T09:00Z' },
    { source: 'forum', at: '2031-05-04T10:00Z' },
  ])

  const many = Array.from({ length: 100 }, () => found('code_b', 50))
  await reports.save({ ...request, hooks: [hook('code_b')] }, { hooks: many }, '2031-05-04T11:00Z')
  const named = (await reports.status(own)).last?.hooks.flatMap(({ lost }) => lost).length ?? 0
  t.equal(named, 1_000, 'they name so many deliveries together')
})

async function send(receiver: string, { headers, body }: Sent): Promise<number> {
  const { status } = await fetch(receiver, { method: 'POST', headers, body: JSON.stringify(body) })
  return status
}

async function titlesOf({ url }: ServerHere): Promise<string[]> {
  const answer = await fetch(`${url}/api/events?order=asc`)
  const { items } = (await answer.json()) as { items: { conversation: { title: string } }[] }
  return items.map(({ conversation }) => conversation.title.replace('acme/site', ''))
}
