import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import t from 'tap'
import { type Page, proseOf, ROOT, readPage, readPages } from './pages.js'

const LANGUAGES = ['python', 'ts', 'sh', 'console', 'text', 'json', 'ini', 'nginx']

const PAGES = readPages()

for (const page of PAGES) {
  t.test(`every link of ${page.path} has an existing target`, async t => {
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

t.test('every documented path in the program folder is created by the installation', async t => {
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  let checked = 0
  for (const { path, text } of PAGES) {
    for (const [named, below = ''] of text.matchAll(/\/opt\/daybook\/([\w./-]+)/g)) {
      checked++
      const [, inPackage] = /^lib\/node_modules\/daybook\/(.+)$/.exec(below) ?? []
      const isCreated =
        inPackage === undefined ? below.startsWith('bin/') && below.slice(4) in bin : existsSync(join(ROOT, inPackage))
      t.ok(isCreated, `${named} in ${path}`)
    }
  }
  t.ok(checked > 2, `${checked} paths`)
})

t.test('every page can be reached from the README, at most by way of the index', async t => {
  t.ok(PAGES.length > 40, `${PAGES.length} pages`)
  const linked = ['README.md', 'docs/README.md'].flatMap(path =>
    [...readPage(path).text.matchAll(/\]\(([^)#:]+)[)#]/g)].map(([, target = '']) => posix.join(dirname(path), target)),
  )
  t.ok(linked.includes('docs/README.md'))
  for (const { path } of PAGES) t.ok(path === 'README.md' || linked.includes(path), path)
})

/** The anchors that GitHub and similar sites derive from headings. */
function anchorsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    return title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
  })
}
