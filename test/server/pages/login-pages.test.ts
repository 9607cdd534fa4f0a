import t from 'tap'
import { sendRaw, serveClosed, valuesOf } from '../closed-ledger.js'
import { serve } from '../serve.js'

const ledger = await serveClosed(t)

t.test('the login page loads only its own files, and runs no inline script', async t => {
  for (const rootPath of ['', '/a/book']) {
    const served = await serve(t, { accounts: ledger.accounts, settings: { rootPath } })
    const { status, headers, text } = await sendRaw(served, `${rootPath}/login`)
    t.equal(status, 200)
    t.match(valuesOf(headers, 'content-type'), [/^text\/html/])
    t.same(valuesOf(headers, 'cache-control'), ['no-store'])
    t.match(valuesOf(headers, 'content-security-policy'), [/^default-src 'none'; script-src 'self'; style-src 'self'/])
    t.notMatch(text, /<script(?![^>]* src=)|<style| style=| on\w+=/i)
    const files = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = '']) => path)
    t.ok(files.length > 1)
    for (const path of files) {
      t.ok(path.startsWith(`${rootPath}/login/assets/`), path)
      const file = await sendRaw(served, path)
      t.equal(file.status, 200, path)
      t.same(valuesOf(file.headers, 'x-content-type-options'), ['nosniff'])
      t.match(valuesOf(file.headers, 'content-security-policy'), [/script-src 'self'/])
    }
  }
})

t.test('a file is sent again only after it changed', async t => {
  const path = '/login/assets/login.css'
  const first = await ledger.send(path)
  t.match(valuesOf(first.headers, 'content-type'), ['text/css; charset=utf-8'])
  const [etag = ''] = valuesOf(first.headers, 'etag')
  const again = await ledger.send(path, { headers: { 'If-None-Match': etag } })
  t.match(again, { status: 304, text: '' })
  t.match(await ledger.send(path, { headers: { 'If-None-Match': '"other"' } }), { status: 200 })
})

t.test('only the files of the login page are served, under exact names', async t => {
  const names = ['nothing', '.', '..', '%00', '..%2flogin.css', '%2e%2e%2f%2e%2e%2fpackage.json', 'login%2ecss', '%zz']
  for (const name of [...names, '__proto__', 'LOGIN.CSS', 'login.css%00', 'constructor', 'login.css;x']) {
    t.match(await ledger.send(`/login/assets/${name}`), { status: 404, body: { code: 'not_found' } }, name)
  }
})

t.test('the first page is for callers with a login; others receive the login page', async t => {
  const { headers } = await ledger.logIn(ledger.mia)
  const login = await ledger.send('/login')
  const anonymous = await ledger.send('/')
  t.same([anonymous.status, anonymous.text], [200, login.text])
  t.same(valuesOf(anonymous.headers, 'cache-control'), ['no-store'])
  t.notMatch((await ledger.send('/', { headers: { Cookie: headers.Cookie ?? '' } })).text, /type="password"/)
  t.notMatch((await sendRaw(await serve(t), '/')).text, /type="password"/, 'an open ledger needs no login')
  const head = await ledger.send('/', { method: 'HEAD' })
  t.match([head.status, head.text], [200, ''])
})

t.test('the page contains the path to go to after the login, only if it is a path of this server', async t => {
  t.match((await ledger.send('/login?next=%2Fapi%2Fstats%3Fa%3D1')).text, /\/api\/stats\?a=1/)
  for (const next of ['//evil.example', 'https://evil.example', '/"><script>evil', '/.//evil.example', '%ff']) {
    const { status, text } = await ledger.send(`/login?next=${encodeURIComponent(next)}&next=x%`)
    t.equal(status, 200)
    t.notMatch(text, /evil/, next)
    t.notMatch((await ledger.send(`/login?next=${encodeURIComponent(next)}`)).text, /evil/, next)
  }
})

t.test('the page has the configured appearance', async t => {
  const loginPage = { palette: 'forest', layout: 'split', appearance: 'dark' } as const
  const served = await serve(t, { accounts: ledger.accounts, settings: { loginPage } })
  t.match((await sendRaw(served, '/login')).text, /data-palette="forest" data-layout="split" data-scheme="dark"/)
})

t.test('a browser receives a page at an API address, and a program receives JSON', async t => {
  const served = await serve(t, { settings: { rootPath: '/a/book' } })
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const cases = [
    { path: '/<b>nowhere', status: 404, shows: 'Nothing is here' },
    { path: '/api/events/chat:1', status: 404, shows: 'Nothing is here' },
    { path: '/api/login', status: 405, shows: 'It accepts POST: ' },
    { path: '/api/health', status: 200, shows: 'The ledger accepts events' },
    { path: '/api/openapi.json', status: 200, shows: '<code>GET /api/events/{dedupe_key}</code>' },
  ]
  for (const { path, status, shows } of cases) {
    const url = `/a/book${path}`
    const shown = await served.request(url, { headers: browser })
    t.match(shown, { status }, path)
    t.match(shown.headers.get('content-type'), 'text/html', path)
    t.match(shown.text, shows, path)
    t.match(shown.text, '<a href="/a/book/">', path)
    t.notMatch(shown.text, /<b>|<script(?![^>]* src=)/, path)
    for (const accept of ['*/*', 'application/json', 'text/html, application/json']) {
      const answer = await served.request(url, { headers: { accept } })
      t.match(answer, { status }, path)
      t.match(answer.headers.get('content-type'), 'json', path)
    }
  }
  t.match((await served.request('/a/book/api/openapi.json?as=json', { headers: browser })).body, { openapi: '3.1.0' })
  t.match((await served.request('/a/book/nowhere', { method: 'POST', headers: browser })).body, { code: 'not_found' })
})
