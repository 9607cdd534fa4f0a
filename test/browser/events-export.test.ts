import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { testFolder } from '../support/test-folder.js'
import { inBrowser, openBrowser } from './chromium.js'
import { hasRows, message, post, rows, start } from './events-site.js'
import { ObservatorySite, PHONE } from './observatory-site.js'
import { findAxeViolations } from './page-checks.js'

const PROGRAM = new URL('../../../bin/run.js', import.meta.url).pathname
/** Of the events below, those that the page shows. Quotes and blanks are as people type them. */
const FILTERED = `/?${new URLSearchParams([
  ['q', `it's "word $(id)"`],
  ['source', 'backup'],
  ['source', 'chat'],
  ['kind', 'message.*'],
  ['actor', 'Ada Okafor'],
])}`

t.test('the export of filtered events in a browser', inBrowser(), async t => {
  const site = new ObservatorySite(await openBrowser(t))
  const folder = testFolder(t)
  const server = await start(t, `${folder}/events.db`)
  const sources = ['chat', 'forum', 'code_a', 'backup']
  await post(
    server,
    ...Array.from({ length: 600 }, (_, at) => message({ text: `Word ${at}`, source: sources[at % 4] })),
    ...Array.from({ length: 8 }, (_, at) => message({ text: `It's word $(id), ${at}`, source: sources[at % 4] })),
  )
  const show = (path: string) => site.visit(t, server, path)
  const menu = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    return page.getByRole('menuitem', { name: item })
  }

  t.test('the server exports the filtered events as JSON Lines or CSV', async t => {
    const page = await show('/?q=word&source=backup')
    await rows(page).first().waitFor()
    const download = async (item: string) => {
      const entry = await menu(page, item)
      t.same(await findAxeViolations(page.getByRole('menu')), [])
      const [file] = await Promise.all([page.waitForEvent('download'), entry.click()])
      t.match(file.suggestedFilename(), /^daybook-events-\d{4}-\d\d-\d\dT\d{6}Z\.(jsonl|csv)$/)
      return readFileSync(await file.path(), 'utf8')
    }
    const lines = (await download('Download JSON Lines')).trimEnd().split('\n')
    const words = lines.map(line => JSON.parse(line).conversation.text)
    t.equal(words.length, 152)
    t.same(words.slice(0, 2), ['Word 3', 'Word 7'], 'oldest first')
    t.equal((await download('Download CSV')).trimEnd().split('\r\n').length, 153)
  })

  t.test('the copied commands give the same events', async t => {
    const page = await show(FILTERED)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await hasRows(page, 4)
    const bin = testFolder(t)
    const script = (name: string, text: string) => {
      writeFileSync(`${bin}/${name}`, `#!/bin/sh\n${text}\n`)
      chmodSync(`${bin}/${name}`, 0o700)
    }
    script('daybook', `unset NODE_OPTIONS; exec '${process.execPath}' '${PROGRAM}' "$@"`)
    script('work.sh', 'cat >> worked')
    /** What the command printed when it ended, or when `isEnough` returns true. */
    const run = (command: string, isEnough: () => boolean = () => false) =>
      new Promise<string>(resolve => {
        const env = { PATH: `${bin}:${process.env.PATH}`, HOME: bin }
        let out = ''
        const child = execFile('setsid', ['sh', '-c', command], { cwd: bin, env }, () => resolve(out))
        child.stdout?.on('data', text => {
          out += text
        })
        void (async () => {
          while (child.exitCode === null && child.signalCode === null) {
            if (isEnough() || out.split('\ndata: ').length > 5) process.kill(-(child.pid ?? 0), 'SIGKILL')
            await setTimeout(20)
          }
        })()
      })
    const copied = async (item: string) => {
      await page.evaluate(`navigator.clipboard.writeText('')`)
      await (await menu(page, item)).click()
      let text = ''
      while (text === '') text = await page.evaluate<string>('navigator.clipboard.readText()')
      t.notMatch(text, /tok_/)
      return text
    }
    const expected = [0, 3, 4, 7].map(at => `It's word $(id), ${at}`)
    const textOf = (line: string): string => JSON.parse(line).conversation.text
    const linesOf = (text: string) => text.trimEnd().split('\n')

    t.same(linesOf(await run(await copied('Copy as curl'))).map(textOf), expected)
    const page1 = JSON.parse(await run(await copied('Copy as daybook command')))
    t.same(
      page1.items.map((event: { conversation: { text: string } }) => event.conversation.text),
      [...expected].reverse(),
    )
    const stream = await run(await copied('Copy as stream'))
    t.same(
      [...stream.matchAll(/^data: (\{"dedupe_key".*)$/gm)].map(([, data = '']) => textOf(data)),
      expected,
    )
    const worked = () => {
      try {
        return readFileSync(`${bin}/worked`, 'utf8')
      } catch {
        return ''
      }
    }
    await run(await copied('Copy as consumer'), () => worked().split('\n').length > 4)
    t.same(linesOf(worked()).map(textOf), expected)
  })

  t.test('on a phone, the page of filters offers the export', async t => {
    const page = await site.openTab(t, server, '/', PHONE)
    await page.getByRole('button', { name: 'Filters' }).click()
    const [file] = await Promise.all([page.waitForEvent('download'), (await menu(page, 'Download JSON Lines')).click()])
    t.equal(
      readFileSync(await file.path(), 'utf8')
        .trimEnd()
        .split('\n').length,
      608,
    )
  })

  t.test('no page logs an error, violates its policy or contacts another server', async t => {
    t.same(site.complaints, [])
  })
})
