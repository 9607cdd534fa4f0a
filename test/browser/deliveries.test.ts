import pino from 'pino'
import t from 'tap'
import type { Ledger } from '../../src/ledger/ledger.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { ADAPTERS } from '../../src/platforms/adapters.js'
import { feedAt } from '../../src/platforms/defined/presets/feed.js'
import { pause } from '../../src/runtime/pause.js'
import { RECONCILE_PACE, ReconcileSchedule } from '../../src/runtime/reconcile/reconcile-schedule.js'
import { Reconciliations } from '../../src/runtime/reconcile/reconciliations.js'
import { StoredReports } from '../../src/runtime/reconcile/stored-reports.js'
import type { NoteStore } from '../../src/store/note-store.js'
import { issueOpened } from '../runtime/reconcile/reconcile-rig.js'
import { rss, serveFeeds } from '../support/feed-server.js'
import { listingPlatform } from '../support/listing-platform/listing-platform.js'
import { inBrowser, openBrowser } from './chromium.js'
import { ObservatorySite, PHONE, ROOT_PATH } from './observatory-site.js'
import {
  findAxeViolationsInBothSchemes,
  findOddFrames,
  findSmallTargets,
  overflow,
  overflowOfLargeText,
} from './page-checks.js'
import { serveCompany } from './watching-company.js'

const BUILD = {
  headers: { 'X-Event': 'build' },
  body: { id: 7, state: 'red', repo: 'brindlequay/timetable', by: { login: 'ada' } },
}
const BUILDS = {
  proof: { type: 'token', header: 'X-Token' },
  rules: [
    {
      when: [{ at: 'header:x-event', is: 'build' }],
      kind: 'build.{/state}',
      subject_id: '{/id}',
      key: 'build:{/id}:{/state}',
      actor: { id: '{/by/login}' },
      target: [{ type: 'repository', id: '{/repo}' }],
    },
  ],
}

t.test('the deliveries and sources tabs in a browser', inBrowser(), async t => {
  const github = await listingPlatform(t, { source: 'code_a' })
  const now = () => Date.now() * 1_000
  const compare = (ledger: Ledger, notes: NoteStore) => {
    const reports = new StoredReports(notes)
    const reconciliations = new Reconciliations({
      ledger,
      now: Date.now,
      sleep: pause,
      receives: true,
      keep: (request, outcome) => reports.save(request, outcome, toTimestamp(now())),
    })
    const parts = { reconciliations, reports, hooks: [github.hook], logger: pino({ level: 'silent' }) }
    const schedule = new ReconcileSchedule({ ...parts, headAtOpen: now(), now, pace: RECONCILE_PACE })
    t.teardown(() => schedule.stop())
    return {
      run: reconciliations.run.bind(reconciliations),
      status: () => schedule.status(),
      start: schedule.start.bind(schedule),
    }
  }
  const site = new ObservatorySite(await openBrowser(t))
  const company = await serveCompany(t, site, (ledger, notes) => ({
    adapters: ADAPTERS,
    now,
    reconciliations: compare(ledger, notes),
    settings: { webhookSecrets: { chat: [], forum: [], code_a: ['right'], code_b: [] } },
  }))
  const { served, ledger, openAs } = company
  const missed = issueOpened(1)
  const { status } = await served.post(`${ROOT_PATH}/webhooks/code_a`, missed.body, missed.headers)
  github.note(missed, { status })
  await served.post(`${ROOT_PATH}/webhooks/forum`, '{"topic":')

  t.test('an admin sees refused deliveries with the reasons, and fetches them from the platform', async t => {
    const page = await openAs('Ada', '/')
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('row', { name: /^GitHub 0 never never 1 last/ }).waitFor()
    await page.getByRole('row', { name: /GitHub The delivery is not signed.* signature_invalid delivery-1/ }).waitFor()
    await page.getByText('Discourse: redeliver from the sender.').waitFor()
    await page.getByText('Not compared yet.').waitFor()
    await page.getByRole('button', { name: 'Check for missing deliveries…' }).press('Enter')
    await page.getByText('Reads the lists of 1 hook and records nothing.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('1 delivery listed: 1 still missing.').waitFor()
    await page.getByText('delivery-1: It is not recorded in a dry run.').waitFor()
    t.same(await findAxeViolationsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Fetch those of GitHub…' }).click()
    await page.getByRole('button', { name: 'Fetch', exact: true }).click()
    await page.getByText('1 delivery listed: 1 missing and fetched.').waitFor()
    const { status: seen } = await served.request(`${ROOT_PATH}/api/health`)
    t.equal(seen, 200)
    t.match(await ledger.stats(), { by_source: { code_a: { events: 1 } } })
  })

  t.test('an admin tests a definition, adds the source, corrects it and maps kept deliveries again', async t => {
    const page = await openAs('Ada', '/sources')
    await page.getByText('No source is defined yet.').waitFor()
    await page.keyboard.press('n')
    const form = page.getByRole('dialog', { name: 'New source' })
    await form.getByLabel('Template').selectOption('alertmanager')
    t.equal(await form.getByLabel('Name').inputValue(), 'alertmanager')
    t.match(await form.getByLabel('Definition').inputValue(), '"/alerts"')
    await form.getByLabel('Name').fill('builds')
    await page.keyboard.press('Escape')
    await page.getByText('Closed without saving.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    t.equal(await form.getByLabel('Name').inputValue(), 'builds')
    t.match(await form.getByLabel('Definition').inputValue(), '"/alerts"')
    await form.getByLabel('Definition').fill(JSON.stringify({ ...BUILDS, rules: [{ kind: 'a.b' }] }))
    await form.getByLabel('Paste a delivery').fill(JSON.stringify(BUILD))
    await form.getByRole('button', { name: 'Try' }).click()
    await form.getByText('/rules/0/subject_id').waitFor()
    await form.getByLabel('Definition').fill(JSON.stringify(BUILDS))
    await form.getByRole('button', { name: 'Try' }).click()
    await form.getByText('It becomes 1 event.').waitFor()
    await form.getByText('builds:build:7:red').waitFor()
    t.same(await findAxeViolationsInBothSchemes(form), [])
    await form.getByRole('button', { name: 'Add…' }).click()
    await form.getByText('It receives at /webhooks/in/builds from now on.').waitFor()
    await form.getByRole('button', { name: 'Add', exact: true }).click()

    const panel = page.getByRole('dialog', { name: 'Source builds' })
    await panel.getByText('It has no secret: it accepts nothing.').waitFor()
    await panel.getByRole('button', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit builds' })
    await edit.getByLabel('Secrets').fill('first-of-two\nsecond-of-two')
    await edit.getByRole('button', { name: 'Save…' }).click()
    await edit.getByRole('button', { name: 'Save', exact: true }).click()
    await panel.getByText('token, X-Token. 2 secrets stored').waitFor()
    const token = { 'x-token': 'first-of-two', 'x-event': 'build' }
    const delivered = await served.post(`${ROOT_PATH}/webhooks/in/builds`, BUILD.body, token)
    t.match(delivered, { status: 200, body: { created: 1 } })
    t.match(await panel.innerText(), `${served.url}${ROOT_PATH}/webhooks/in/builds`)
    t.match(await panel.innerText(), 'build.{/state}', 'the mapping')
    t.notMatch(await page.content(), 'first-of-two')
    await panel.getByLabel('Paste a delivery').fill('{"headers":{},"body":{}}')
    await panel.getByRole('button', { name: 'Try' }).click()
    await panel.getByText('delivery.unmapped', { exact: true }).waitFor()
    await panel.getByRole('button', { name: 'Map kept deliveries again…' }).click()
    await panel.getByRole('button', { name: 'Map again', exact: true }).click()
    await page.getByText('0 new events. 0 still fit no rule.').waitFor()
    t.same(await findAxeViolationsInBothSchemes(panel), [])
  })

  t.test('an admin reads a feed immediately, and sees the result', async t => {
    const feeds = await serveFeeds(t)
    feeds.answers.set('/news', { body: rss('2', '1') })
    await ledger.sources.save('news', { definition: { name: 'news', ...feedAt(feeds.url('/news')) } })
    const page = await openAs('Ada', '/sources?source=news')
    await page.reload()
    const panel = page.getByRole('dialog', { name: 'Source news' })
    const readNow = panel.getByRole('button', { name: 'Read now' })
    await readNow.click()
    await panel.getByText('2 new events, 0 known already.').waitFor()
    await readNow.click()
    await panel.getByText('It is the same as before: no new events.').waitFor()
    feeds.answers.set('/news', { body: rss('1').slice(0, -20) })
    await readNow.press('Enter')
    await panel.getByText('It was not read.').waitFor()
    await panel
      .getByText(/cut off.*It is read again later/)
      .first()
      .waitFor()
    t.equal(await overflow(page), 0)
    t.same(await findAxeViolationsInBothSchemes(panel), [])
    await ledger.sources.delete('news')
  })

  t.test('a member sees counts and addresses, and neither reasons nor definitions', async t => {
    const page = await openAs('bob', '/sources')
    await page.getByRole('row', { name: /^builds.* stored 1 .*\/webhooks\/in\/builds/ }).waitFor()
    t.equal(await page.getByRole('button', { name: 'New source' }).count(), 0)
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText('Admins see each refused delivery').waitFor()
    await page.getByRole('row', { name: /^GitHub 1 .* 1 signature invalid$/ }).waitFor()
    await page.setViewportSize(PHONE.viewport)
    await page.locator('.tab-bar').waitFor()
    t.equal(await page.evaluate(`document.querySelector('.view-head').offsetHeight`), 0, 'no blank bar')
  })

  t.test('on a phone and with text of double size, the tabs fit, and fingers and keys reach every control', async t => {
    for (const [path, ready] of [
      ['/deliveries', 'Missed deliveries'],
      ['/sources', 'builds'],
      ['/sources?source=builds', '2 secrets stored'],
      ['/sources?source=builds&edit=true', 'Edit builds'],
    ] as const) {
      const page = await openAs('Ada', path, PHONE)
      await page.getByText(ready).first().waitFor()
      t.equal(await overflow(page), 0, path)
      t.same(await findSmallTargets(page), [], path)
      t.equal(await overflowOfLargeText(page), 0, `${path} with large letters`)
      t.same(await findOddFrames(page), [], path)
    }
  })

  t.test('deleting a source needs a confirmation, and keeps its events', async t => {
    const page = await openAs('Ada', '/sources?source=builds')
    await page.reload()
    const panel = page.getByRole('dialog', { name: 'Source builds' })
    await panel.getByRole('button', { name: 'Delete…' }).click()
    await panel.getByRole('button', { name: 'Delete builds' }).click()
    await page.getByText('Deleted builds. Its events stay.').waitFor()
    await page.getByText('No source is defined yet.').waitFor()
    t.match(await ledger.stats(), { by_source: { builds: { events: 1 } } })
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
