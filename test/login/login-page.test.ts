import fc from 'fast-check'
import t from 'tap'
import { LOGIN_ASSETS, type LoginLabels, type LoginPageOptions, renderLoginPage } from '../../src/login/login-page.js'
import { LOGIN_APPEARANCES, LOGIN_LAYOUTS, LOGIN_PALETTES } from '../../src/model/login-design.js'

const PAGE: LoginPageOptions = {
  rootPath: '',
  next: '/',
  host: 'ledger.example.org',
  palette: 'indigo',
  layout: 'card',
  appearance: 'system',
}

const render = (options: Partial<LoginPageOptions> = {}) => renderLoginPage({ ...PAGE, ...options })

t.test('every combination of palette, layout and appearance renders with its attributes', async t => {
  for (const palette of LOGIN_PALETTES) {
    for (const layout of LOGIN_LAYOUTS) {
      for (const appearance of LOGIN_APPEARANCES) {
        for (const asksUsername of [true, false]) {
          const page = render({ palette, layout, appearance, asksUsername })
          const scheme = appearance === 'system' ? '' : ` data-scheme="${appearance}"`
          t.match(page, `<html lang="en" data-palette="${palette}" data-layout="${layout}"${scheme}>`)
          t.equal(page.includes('name="username"'), asksUsername)
          t.equal(page.match(/ autofocus>/g)?.length, 1, 'one field has the focus')
          t.equal(page.includes('Everything that happened, recorded exactly once.'), layout === 'split')
          t.match(page, /type="password" required autocomplete="current-password"/)
        }
      }
    }
  }
})

t.test('the page has no inline script or style, as its policy requires', async t => {
  const page = render({ layout: 'split' })
  t.notMatch(page, /<style| style=| on\w+=|javascript:/i)
  t.same(page.match(/<script[^>]*>[^<]*/g), [
    '<script src="/login/assets/appearance-first.js">',
    '<script type="module" src="/login/assets/login.js">',
  ])
})

t.test('every address is below the root path, and every asset is served', async t => {
  for (const rootPath of ['', '/a/book']) {
    const page = render({ rootPath })
    const addresses = [...page.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, address]) => address)
    t.same(
      addresses.sort(),
      [`${rootPath}/api/login`, ...[...LOGIN_ASSETS.keys()].map(name => `${rootPath}/login/assets/${name}`)].sort(),
    )
  }
})

t.test('without script, the form does not put the password into an address', async t => {
  const page = render()
  t.match(page, /<form id="login" method="post"/)
  t.match(page, /<noscript><p>Logging in needs JavaScript/)
})

t.test('labels of another program replace the default labels individually', async t => {
  const page = render({ layout: 'split', labels: { program: 'Board', title: 'Log in to the board' } })
  t.match(page, /<title>Log in to the board<\/title>[\s\S]*<h1>Log in to the board<\/h1>/)
  t.match(page, 'data-program="Board"')
  t.match(page, '<label for="username">Name</label>')
})

const ANYWHERE: readonly (keyof LoginPageOptions | keyof LoginLabels)[] = [
  ...(['rootPath', 'next', 'host'] as const),
  ...(['program', 'title', 'sentence', 'username', 'password', 'submit'] as const),
]

t.test('no configured text becomes markup', async t => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '=',
      ' ',
      '/',
      '`',
      'x',
      '$',
      '<script>',
      '"><img src=x onerror=1>',
      '$&',
    ),
    maxLength: 20,
  })
  const text = fc.oneof(hostile, fc.string())
  const tags = (page: string) => page.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g)
  const expected = tags(render({ layout: 'split' }))
  fc.assert(
    fc.property(fc.constantFrom(...ANYWHERE), text, (place, text) => {
      const page = render({ layout: 'split', [place]: text, labels: { [place]: text } })
      t.same(tags(page), expected, `${place}: ${text}`)
    }),
  )
})

t.test('a value is escaped without a change of its text', async t => {
  const next = `/a?b="<c>"&d='e'&amp;`
  const [, value = ''] = /name="next" value="([^"]*)"/.exec(render({ next })) ?? []
  t.equal(value, '/a?b=&quot;&lt;c&gt;&quot;&amp;d=&#39;e&#39;&amp;amp;')
})
