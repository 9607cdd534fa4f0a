import t from 'tap'
import { inBrowser, openBrowser } from './chromium.js'
import { freePort, message, post, said, start } from './events-site.js'
import { findAxeViolations, ObservatorySite } from './observatory-site.js'

t.test('Live in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const database = `${t.testdir()}/events.db`
  const port = await freePort()
  const first = await start(t, database, port)
  await post(first, ...Array.from({ length: 60 }, (_, at) => message({ text: `Before ${at}` })))

  t.test('new events come by themselves, wait while somebody reads, and are shown when asked for', async t => {
    const page = await site.open(t, first, '/?live=1')
    await said(page)
    await post(first, message({ text: 'Here at once' }))
    await page.getByText('Here at once').waitFor()
    await page.evaluate(`document.querySelector('.virtual-list').scrollTo(0, 300)`)
    await page.getByText('paused while you read').waitFor()
    await post(first, message({ text: 'Later 1' }), message({ text: 'Later 2' }))
    const pill = page.getByRole('button', { name: '2 new' })
    await pill.waitFor()
    t.same(await findAxeViolations(page), [])
    t.equal(await page.getByText('Later 2').count(), 0)
    await pill.click()
    await page.getByText('Later 2').waitFor()
    await pill.waitFor({ state: 'detached' })
    t.equal(await page.evaluate(`document.querySelector('.virtual-list').scrollTop`), 0)
  })

  t.test('with the server gone and back it goes on without gap or repeat, and says so', async t => {
    const page = await site.open(t, first, '/?live=1')
    await said(page)
    await post(first, message({ text: 'Last before' }))
    await page.getByText('Last before').waitFor()
    await first.kill()
    await page.getByText('reconnecting…').waitFor()
    t.ok(await page.getByText('Last before').isVisible(), 'one can read on')
    // Written while the page has no connection.
    const other = await start(t, database)
    await post(other, ...Array.from({ length: 14 }, (_, at) => message({ text: `Meanwhile ${at}` })))
    await other.stop()
    const second = await start(t, database, port)
    await page.evaluate(`document.querySelector('.outage button')?.click()`)
    await page
      .getByText(/Caught up at \d\d:\d\d: 14 events came while the connection was lost\. None missed, none twice\./)
      .waitFor()
    await post(second, message({ text: 'First after' }))
    await page.getByText('First after').waitFor()
    await page.evaluate(`document.querySelector('.virtual-list').scrollTo(0, 0)`)
    const texts = (await said(page)).slice(0, 16)
    t.same(texts, ['First after', ...Array.from({ length: 14 }, (_, at) => `Meanwhile ${13 - at}`), 'Last before'])
    t.same(await findAxeViolations(page), [])
    t.same(site.complaints, [])
  })
})
