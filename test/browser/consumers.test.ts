import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { eventsOf } from '../../src/model/events/event-query.js'
import { inBrowser, openBrowser, openWindow } from './chromium.js'
import { ObservatorySite, PHONE, ROOT_PATH } from './observatory-site.js'
import { findAxeViolationsInBothSchemes, findSmallTargets, focused, overflow, query } from './page-checks.js'
import { serveCompany } from './watching-company.js'

/** The client library as the package contains it. */
const CLIENT = fileURLToPath(new URL('../../client/', import.meta.url))

t.test('the consumers tab in a browser', inBrowser(), async t => {
  const browser = await openBrowser(t)
  const site = new ObservatorySite(browser)
  const { ledger, ada, bob, openAs } = await serveCompany(t, site)
  const { consumers } = ledger
  const member = { role: 'member', userId: bob.id } as const
  const admin = { role: 'admin', userId: ada.id } as const
  const next = {
    waitSeconds: 0,
    leaseSeconds: 30,
    limit: 100,
    signal: new AbortController().signal,
    wrapRead: <R>(read: R) => read,
  }

  /** The consumer gave up the first two events, and eight are unread. */
  const failing = async () => {
    await consumers.save('mail', { filters: { kind: ['message.*'] }, position: 'beginning' }, member)
    const { fence, page } = await consumers.nextBatch('mail', next, member)
    const deadLetters = eventsOf(page)
      .slice(0, 2)
      .map(({ dedupe_key, captured_at }) => ({
        dedupe_key,
        captured_at: Date.parse(captured_at) * 1000 + Number(captured_at.slice(23, 26)),
        error: 'The command failed: exit code 7.\n<b>no such user</b>',
        attempts: 6,
      }))
    t.equal(page.count, 8)
    const last = deadLetters[1]?.captured_at
    const error = 'The command failed: exit code 7.'
    await consumers.acknowledge(
      'mail',
      { fence, checkpoint: last, deadLetters, error, leaseSeconds: 30, release: true },
      member,
    )
  }

  t.test('without consumers, the tab shows how to start one', async t => {
    const page = await openAs('bob', '/consumers')
    await page.getByRole('heading', { name: 'No consumers yet.' }).waitFor()
    t.same(await findAxeViolationsInBothSchemes(page), [])
  })

  t.test('a row shows the position and the last error of a consumer, and its panel retries dead letters', async t => {
    await failing()
    const page = await openAs('bob', '/consumers')
    const row = page.getByRole('row', { name: /mail/ })
    await row.waitFor()
    t.match(
      await row.innerText(),
      /mail\s+kind: message\.\*\s+The command failed: exit code 7\.\s+6(?: or more)? for 5\sd\s/,
    )
    t.equal(await row.locator('.tag').innerText(), '2')
    t.match(await row.locator('polyline').getAttribute('points'), /^0\.0,1\.0 (\S+ )*72\.0,1\.0$/, 'the lag as a line')
    await page.getByRole('button', { name: 'mail', exact: true }).press('Enter')
    const panel = page.getByRole('dialog', { name: 'Consumer mail' })
    t.match(await query(page), { consumer: 'mail' })
    const letters = panel.getByRole('listitem')
    await letters.first().waitFor()
    t.equal(await letters.count(), 2)
    t.match(await letters.first().innerText(), /6 attempts[\s\S]*<b>no such user<\/b>/)
    t.same(await findAxeViolationsInBothSchemes(panel), [])
    await letters
      .first()
      .getByRole('button', { name: /^Retry/ })
      .click()
    await letters.first().getByText('It will be delivered again.').waitFor()
    await panel.getByRole('button', { name: 'Retry all…' }).press('Enter')
    t.equal(await focused(page), 'Retry 2')
    t.match(await consumers.listDeadLetters('mail', { limit: 10, after: 0 }, member), [
      { retrying: true },
      { retrying: false },
    ])
    await page.keyboard.press('Enter')
    await letters.nth(1).getByText('It will be delivered again.').waitFor()
    t.match(await consumers.listDeadLetters('mail', { limit: 10, after: 0 }, member), [
      { retrying: true },
      { retrying: true },
    ])
    await panel.getByRole('button', { name: 'Delete all…' }).click()
    await panel.getByRole('button', { name: 'Delete 2' }).click()
    await panel.getByText('No dead letters.').waitFor()
  })

  t.test('the position of a consumer is set after a confirmation', async t => {
    const page = await openAs('bob', '/consumers?consumer=mail')
    const panel = page.getByRole('dialog', { name: 'Consumer mail' })
    await panel.getByRole('button', { name: 'Now…' }).click()
    await panel.getByText('Events that wait are skipped.').waitFor()
    await panel.getByRole('button', { name: 'Cancel' }).click()
    t.match(await consumers.get('mail', member), { lag: { events: 6 } })
    await panel.getByRole('button', { name: 'Now…' }).click()
    await panel.getByRole('button', { name: 'Skip to now' }).click()
    await page.getByText('mail continues there.').waitFor()
    t.match(await consumers.get('mail', member), { lag: { events: 0 } })
    await panel.getByLabel('A time').fill('2026-01-02T03:04')
    // The years 2, 20 and 202 come before 2020.
    await panel.getByLabel('A time').focus()
    await page.keyboard.type('01022020')
    t.equal(await panel.getByLabel('A time').inputValue(), '2020-01-02T03:04')
    await panel.getByRole('button', { name: 'That time…' }).click()
    await panel.getByRole('button', { name: 'Continue there' }).click()
    while ((await consumers.get('mail', member)).lag.events !== 8) await page.waitForTimeout(20)
  })

  t.test('on a phone, the tab fits, and every control is large enough for fingers', async t => {
    const page = await openAs('bob', '/consumers', PHONE)
    await page.getByRole('row', { name: /mail/ }).waitFor()
    t.equal(await overflow(page), 0)
    t.same(await findSmallTargets(page), [])
    await page.getByRole('button', { name: 'mail', exact: true }).click()
    await page.getByRole('dialog', { name: 'Consumer mail' }).waitFor()
    t.equal(await overflow(page), 0)
    t.same(await findSmallTargets(page), [])
  })

  t.test(
    'a member sees its own consumers, an admin all with their owners, and a deletion needs a confirmation',
    async t => {
      await consumers.save('audit', { position: 'now' }, admin)
      const own = await openAs('bob', '/consumers')
      await own.getByText('1 consumer', { exact: true }).waitFor()
      const page = await openAs('Ada', '/consumers')
      await page.getByRole('row', { name: /mail/ }).filter({ hasText: /bob$/ }).waitFor()
      await page.getByRole('row', { name: /audit/ }).click()
      const panel = page.getByRole('dialog', { name: 'Consumer audit' })
      await panel.getByRole('button', { name: 'Delete…' }).press('Enter')
      await panel.getByText('Its checkpoint is lost.').waitFor()
      t.equal((await consumers.list(admin)).length, 2)
      await page.keyboard.press('Enter')
      await panel.waitFor({ state: 'detached' })
      await page.getByText('Deleted audit. The events stay.').waitFor()
      t.equal((await consumers.list(admin)).length, 1)
    },
  )

  t.test('a page of a listed origin follows events with the client library', async t => {
    const files = createServer((req, res) => {
      const file = join(CLIENT, basename(req.url ?? ''))
      if (req.url === '/') res.setHeader('content-type', 'text/html').end('<!doctype html><title>Dashboard</title>')
      else if (existsSync(file)) res.setHeader('content-type', 'text/javascript').end(readFileSync(file))
      else res.writeHead(404).end()
    })
    await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
    t.teardown(() => files.close())
    const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
    const { url } = await site.serve(t, { ledger, settings: { corsOrigins: [origin] } })
    const window = await openWindow(browser)
    t.teardown(() => window.close())
    const page = await window.newPage()
    await page.goto(origin)
    const count = await page.evaluate(`(async () => {
      const { Daybook } = await import('/index.js')
      const pages = new Daybook({ url: '${url}${ROOT_PATH}' }).follow({ kind: 'message.*' }, { since: '1970-01-01T00:00:00Z' })
      for await (const { items } of pages) return items.length
    })()`)
    t.equal(count, 8)
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
