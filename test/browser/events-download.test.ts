import { readFileSync } from 'node:fs'
import t from 'tap'
import { inBrowser, openBrowser } from './chromium.js'
import { message, post, rows, start } from './events-site.js'
import { ObservatorySite } from './observatory-site.js'
import { findAxeViolations } from './page-checks.js'

t.test('what is filtered can be saved', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const server = await start(t, `${t.testdir()}/events.db`)
  const sources = ['chat', 'forum', 'code_a', 'backup']
  await post(
    server,
    ...Array.from({ length: 600 }, (_, at) => message({ text: `Word ${at}`, source: sources[at % 4] })),
  )

  t.test('what is filtered is saved as JSONL, whole, or as a table without formulas', async t => {
    const page = await site.open(t, server, '/?q=word&source=backup')
    await rows(page).first().waitFor()
    const download = async (format: string) => {
      await page.getByRole('button', { name: 'Download' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Download' })
      await dialog.getByRole('radio', { name: format }).check({ force: true })
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Download' }).click(),
      ])
      await dialog.getByText('150 events saved').waitFor()
      t.same(await findAxeViolations(page), [])
      await page.keyboard.press('Escape')
      return readFileSync(await file.path(), 'utf8')
    }
    const lines = (await download('JSONL')).trimEnd().split('\n')
    const words = lines.map(line => JSON.parse(line).conversation.text)
    t.same(
      words,
      Array.from({ length: 150 }, (_, at) => `Word ${4 * at + 3}`),
      'oldest first, each once',
    )
    // A connection that is lost is taken up again.
    await page.route('**/api/stream?**', route => route.abort(), { times: 2 })
    t.equal((await download('CSV')).trimEnd().split('\r\n').length, 151)
  })

  t.test('no page complained, broke its policy, or asked anybody but its server', async t => {
    t.same(site.complaints, [])
  })
})
