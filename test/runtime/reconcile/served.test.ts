import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { reconcile } from '../../../src/runtime/reconcile/reconcile-command.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'
import { readReconcileSettings } from '../../../src/settings/reconcile-settings.js'
import { freePort } from '../../support/free-port.js'
import { listingPlatform } from '../../support/listing-platform/listing-platform.js'
import { testFolder } from '../../support/test-folder.js'
import { type ServerHere, serveHere } from '../serve/serve-here.js'
import { anyDelivery, issueOpened, type Sent } from './reconcile-rig.js'

t.test('what was missed while the server was away is there once after it comes back', async t => {
  const home = testFolder(t)
  const port = String(await freePort())
  const receiver = `http://127.0.0.1:${port}/webhooks/code_a`
  const github = await listingPlatform(t, { source: 'code_a', receiver })
  const env = {
    ...{ EVENT_RECONCILE: 'on', EVENT_RECONCILE_HOOKS_CODE_A: github.hook.url },
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
  const result = await reconcile(local, { hooks, since_seconds: 3_600, dry_run: false }, () => {})
  t.match(result.hooks, [{ listed: 4, delivered: 1, fetched: 2, redelivered: 1, missing: 0, gone: 0, complete: true }])
  t.same(await titlesOf(server), ['#1 Issue 1', '#2 Issue 2', '#3 Issue 3', '#4 Issue 4'])
})

t.test('GitLab and Discourse deliver again what their lists do not contain', async t => {
  const home = testFolder(t)
  const server = await serveHere(t, { home, only: 'ledger' })
  const local = readLocalSettings({}, { ...processSources(), env: {}, homedir: home })
  for (const source of ['code_b', 'forum'] as const) {
    const platform = await listingPlatform(t, { source, receiver: `${server.url}/webhooks/${source}` })
    platform.note(anyDelivery(source, 1), { isBodiless: true })
    const request = { hooks: [platform.hook], since_seconds: 3_600, dry_run: false }
    t.match((await reconcile(local, request, () => {})).hooks, [{ redelivered: 1, missing: 0, gone: 0 }], source)
  }
  t.equal((await titlesOf(server)).length, 2)
})

t.test('a server that starts after an absence fetches what it missed', async t => {
  const github = await listingPlatform(t, { source: 'code_a' })
  for (const number of [1, 2]) github.note(issueOpened(number))
  const env = {
    ...{ EVENT_RECONCILE: 'on', EVENT_RECONCILE_HOOKS_CODE_A: github.hook.url },
    EVENT_RECONCILE_TOKEN_CODE_A: github.hook.token,
  }
  const server = await serveHere(t, { home: testFolder(t), only: 'ledger', env })
  while ((await titlesOf(server)).length < 2) await sleep(20)
  t.same(await titlesOf(server), ['#1 Issue 1', '#2 Issue 2'])
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
