import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { until } from '../../support/until.js'
import { type Served, serve } from '../serve.js'

const ICON = '/assets/shared/icon.svg'
const PAGES = ['/', '/subscriptions', '/consumers', '/people', '/deliveries', '/sources']

t.test('every view has the same page, and its files are served, under the root path', async t => {
  for (const rootPath of ['', '/a/book']) {
    const { request } = await serve(t, { settings: { rootPath } })
    const { status, headers, text } = await request(`${rootPath}/`)
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^text\/html/)
    t.equal(headers.get('cache-control'), 'no-store')
    t.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    for (const path of PAGES) t.equal((await request(rootPath + path)).text, text, path)
    const files = [...text.matchAll(/ (?:href|src)="([^"#]+)"/g)].map(([, path = '']) => path)
    for (const path of files) {
      t.ok(path.startsWith(`${rootPath}/`), path)
      t.equal((await request(path)).status, 200, path)
    }
  }
})

t.test('the page runs only its own files, and no inline script', async t => {
  const { request } = await serve(t)
  const { headers, text } = await request('/')
  t.match(headers.get('content-security-policy'), "script-src 'self'; style-src 'self';")
  t.notMatch(text, /<script(?![^>]* src=)/i)
  t.notMatch(text, /<style| style=| on\w+="/i)
})

t.test('the scripts of the first view are few, and are preloaded together', async t => {
  const { request } = await serve(t)
  const { text } = await request('/')
  const preloaded = [...text.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, path = '']) => path)
  t.match(preloaded[0], /\/observatory\/main\.js$/)
  t.ok(preloaded.length <= 5, `${preloaded.length} scripts`)
  const texts = new Map(await Promise.all(preloaded.map(async path => [path, (await request(path)).text] as const)))
  const importsOf = (script: string) =>
    [...script.matchAll(/\b(?:import|from)\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, imported = '']) => imported)
  for (const [path, script] of texts) {
    for (const imported of importsOf(script)) {
      const address = new URL(imported, `http://x${path}`).pathname
      t.ok(texts.has(address), `${path} needs ${address}`)
    }
  }
  const later = await request(preloaded[0]?.replace('main.js', 'consumers.js') ?? '')
  t.ok(importsOf(later.text).includes('./main.js'), 'imports are found in scripts that load later')
})

t.test('a page has the configured look, and contains its root path', async t => {
  const loginPage = { palette: 'forest', layout: 'card', appearance: 'dark' } as const
  const { request } = await serve(t, { settings: { rootPath: '/book', loginPage } })
  t.match((await request('/book/')).text, '<html lang="en" data-root="/book" data-palette="forest" data-scheme="dark">')
})

t.test('a page links to the other program as soon as that one has started', async t => {
  let boardUrl: string | undefined
  const { request } = await serve(t, { boardUrl: () => boardUrl })
  const early = (await request('/')).text
  t.notMatch(early, 'data-other-program')
  boardUrl = 'http://127.0.0.1:9'
  const { text } = await request('/')
  t.equal(text, early.replace('"indigo"', '"indigo" data-other-program="http://127.0.0.1:9"'))
})

t.test('below a root path, the first page redirects to its folder, and keeps the query', async t => {
  const { request } = await serve(t, { settings: { rootPath: '/book' } })
  const { status, headers } = await request('/book?q=x')
  t.match({ status, location: headers.get('location') }, { status: 308, location: '/book/?q=x' })
})

t.test('files are sent in an encoding that the browser accepts, and each encoding has its own ETag', async t => {
  const served = await serve(t)
  const plain = await fetchBytes(served, ICON)
  t.equal(plain.headers['content-encoding'], undefined)
  const forms: [string, string | undefined, (bytes: Buffer) => Buffer][] = [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['deflate', undefined, bytes => bytes],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['br; q=0.0, gzip;q=0', undefined, bytes => bytes],
    ['vibrant', undefined, bytes => bytes],
    ['', undefined, bytes => bytes],
  ]
  const tags = new Map<string | undefined, string | undefined>()
  for (const [accepted, encoding, decode] of forms) {
    const { headers, bytes } = await fetchBytes(served, ICON, { 'accept-encoding': accepted })
    t.equal(headers['content-encoding'], encoding, accepted)
    t.equal(headers.vary, 'Accept-Encoding')
    t.ok(decode(bytes).equals(plain.bytes), accepted)
    t.equal(tags.get(encoding) ?? headers.etag, headers.etag)
    tags.set(encoding, headers.etag)
  }
  t.equal(new Set(tags.values()).size, 3)
})

t.test('a file is sent again only after it changed, and a versioned file is cached permanently', async t => {
  const { request } = await serve(t)
  const first = await request(ICON)
  t.equal(first.headers.get('cache-control'), 'no-cache')
  const etag = first.headers.get('etag') ?? ''
  const again = await request(ICON, { headers: { 'if-none-match': etag } })
  t.match(again, { status: 304, text: '' })
  t.equal(again.headers.get('vary'), 'Accept-Encoding')
  t.equal((await request(ICON, { headers: { 'if-none-match': '"other"' } })).status, 200)
  const [versioned = ''] = /\/assets\/[\w-]{16}\/shared\/icon\.svg/.exec((await request('/')).text) ?? []
  t.equal((await request(versioned)).headers.get('cache-control'), 'public, max-age=31536000, immutable')
  t.equal((await request(versioned.replace(/[\w-]{16}/, '0123456789abcdef'))).status, 404)
})

t.test('only the built files are served, under exact names', async t => {
  const { raw } = await serve(t)
  const names = [
    ...['', '/', '.', '..', 'nothing.css', '%00', '%zz', '..%2flogin%2flogin.css', '%2e%2e/%2e%2e/package.json'],
    ...['../../package.json', 'shared/../shared/icon.svg', 'shared//icon.svg', 'shared%2ficon.svg', 'SHARED/icon.svg'],
    ...[
      'shared/icon.svg%00',
      'shared/icon.svg/',
      'shared/icon.svg;x',
      '__proto__',
      'constructor',
      'observatory/index.html',
    ],
    ...['shared/tokens.css', 'shared/html.ts', 'shared/html.js', 'observatory/main.js.map'],
  ]
  for (const name of names) {
    const answer = await raw(`GET /assets/${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 404 [\s\S]*application\/problem\+json/, name)
  }
})

t.test('a request for a part of a file gets the whole file', async t => {
  const served = await serve(t)
  const whole = await fetchBytes(served, ICON)
  for (const range of ['0-0', '5-2', '-5', '9999999-', '0-1,3-4', 'x']) {
    const { status, bytes } = await fetchBytes(served, ICON, { range: `bytes=${range}` })
    t.equal(status, 200, range)
    t.ok(bytes.equals(whole.bytes), range)
  }
})

t.test('a HEAD answer has the headers of the file and no body', async t => {
  const { raw } = await serve(t)
  const answer = await raw(`HEAD ${ICON} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  t.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\nContent-Length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/)
  t.match(answer, /\r\nContent-Type: image\/svg\+xml\r\n/)
})

t.test('an aborted download leaves no file open', { skip: !existsSync('/proc/self/fd') }, async t => {
  const { port, request } = await serve(t)
  const [path = ''] = /\/assets\/[\w-]{16}\/observatory\/main\.js/.exec((await request('/')).text) ?? []
  const descriptors = () =>
    readdirSync('/proc/self/fd').filter(fd => linkOf(`/proc/self/fd/${fd}`).endsWith('/observatory/main.js')).length
  const reader = connect(port, '127.0.0.1')
  t.teardown(() => reader.destroy())
  // More than the buffers of the system hold.
  reader.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(300))
  reader.once('data', () => reader.pause())
  await until(() => descriptors() > 0 && reader.isPaused())
  reader.destroy()
  await until(() => descriptors() === 0)
  t.equal((await request(path)).status, 200)
})

/** The target of a link; empty if the link is gone. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** The bytes of an answer, without decoding. */
async function fetchBytes({ url }: Served, path: string, headers: Record<string, string> = {}) {
  const [response] = (await once(get(url + path, { headers, agent: false }), 'response')) as [IncomingMessage]
  const bytes = Buffer.concat(await response.toArray())
  return { status: response.statusCode, headers: response.headers, bytes }
}
