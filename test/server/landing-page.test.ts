import t from 'tap'
import { serve } from './serve.js'

t.test('the first page says what this is and where to look, without any script', async t => {
  const { request } = await serve(t)
  const { status, headers, text } = await request('/')
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^text\/html/)
  t.match(headers.get('content-security-policy'), /default-src 'none'; script-src 'self'; style-src 'self'/)
  t.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  for (const path of ['api/health', 'api/events', 'api/openapi.json', 'metrics']) t.match(text, `href="${path}"`)
  t.notMatch(text, /<script|<style| style=| on\w+=/i)
})

t.test('everything the page links to is there', async t => {
  for (const rootPath of ['', '/a/book']) {
    const { request } = await serve(t, { settings: { rootPath } })
    const { text } = await request(`${rootPath}/`)
    for (const [, path] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      t.equal((await request(`${rootPath}/${path}`)).status, 200, `${rootPath}/${path}`)
    }
  }
})

t.test('below a root path the page is a folder, so that its links hold', async t => {
  const { request } = await serve(t, { settings: { rootPath: '/book' } })
  const { status, headers } = await request('/book')
  t.match({ status, location: headers.get('location') }, { status: 308, location: '/book/' })
})

t.test('assets are what is in the folder, and nothing around it', async t => {
  const { request, raw } = await serve(t)
  const { status, headers } = await request('/assets/landing.css')
  t.match({ status, type: headers.get('content-type') }, { status: 200, type: /^text\/css/ })
  const etag = headers.get('etag') ?? ''
  t.equal((await request('/assets/landing.css', { headers: { 'if-none-match': etag } })).status, 304)
  for (const name of [
    '..%2flanding.css',
    '..%2f..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    'nothing.css',
    '%00',
    '.',
  ]) {
    const answer = await raw(`GET /assets/${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 404 [\s\S]*application\/problem\+json/, name)
  }
  t.match(await request('/assets/%zz'), { status: 400, body: { code: 'invalid_path' } })
})
