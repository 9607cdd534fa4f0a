import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import t from 'tap'
import { type Page, proseOf, ROOT, readPage, readPages } from './pages.js'

const LANGUAGES = ['python', 'ts', 'sh', 'console', 'text', 'json', 'ini', 'nginx']

for (const page of readPages()) {
  t.test(`every link of ${page.path} leads somewhere`, async t => {
    for (const [, target = ''] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page.path : posix.join(dirname(page.path), path)
      if (!t.ok(existsSync(join(ROOT, file)), target) || anchor === undefined) continue
      t.ok(anchorsOf(readPage(file)).includes(anchor), target)
    }
  })

  t.test(`every block of ${page.path} names its language`, async t => {
    for (const { language, line } of page.blocks) t.ok(LANGUAGES.includes(language), `line ${line}: "${language}"`)
  })
}

t.test('every path in the folder of the program is one that the installation creates', async t => {
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const { path, text } of readPages()) {
    for (const [named, below = ''] of text.matchAll(/\/opt\/daybook\/([\w./-]+)/g)) {
      const [, inPackage] = /^lib\/node_modules\/daybook\/(.+)$/.exec(below) ?? []
      const isCreated =
        inPackage === undefined ? below.startsWith('bin/') && below.slice(4) in bin : existsSync(join(ROOT, inPackage))
      t.ok(isCreated, `${named} in ${path}`)
    }
  }
})

t.test('every page can be reached from the README, at most by way of the index', async t => {
  const linked = ['README.md', 'docs/README.md'].flatMap(path =>
    [...readPage(path).text.matchAll(/\]\(([^)#:]+)[)#]/g)].map(([, target = '']) => posix.join(dirname(path), target)),
  )
  t.ok(linked.includes('docs/README.md'))
  for (const { path } of readPages()) t.ok(path === 'README.md' || linked.includes(path), path)
})

/** As GitHub and its like make them of headings. */
function anchorsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    return title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
  })
}
