import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { runDaybook } from './run-daybook.js'

const KEY = 'key-of-the-other-board'
const pem = (name: string) => fileURLToPath(new URL(`../proxy/fixtures/localhost-${name}.pem`, import.meta.url))

/** The part of a board that the command requests. */
const board: RequestListener = ({ url, headers }, res) => {
  const isKnown = headers.authorization === `Bearer ${KEY}`
  const flags = { enabled: false, authenticated: isKnown, username_required: false, api_token_enabled: true }
  res.statusCode = url === '/api/auth' || isKnown ? 200 : 401
  res.end(JSON.stringify(url === '/api/auth' ? flags : { status: 'ok', version: '1.2.3\u001b[31m' }))
}

async function listening(t: Test, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

function check(
  t: Test,
  folder: string,
  profiles: unknown,
  options: { args?: string[]; atTerminal?: boolean; overTls?: boolean } = {},
) {
  writeFileSync(join(folder, 'key'), KEY, { mode: 0o600 })
  writeFileSync(join(folder, 'wrong'), 'wrong', { mode: 0o600 })
  writeFileSync(join(folder, 'backends.json'), typeof profiles === 'string' ? profiles : JSON.stringify({ profiles }))
  const { args = [], atTerminal = false, overTls = false } = options
  // Node reads the certificates only at the start of a process.
  const env = { BOARD_HOME: folder, NO_COLOR: '1', ...(overTls ? { NODE_EXTRA_CA_CERTS: pem('cert') } : {}) }
  return runDaybook(t, ['board', 'backends', 'check', ...args], { env, atTerminal, ownProcess: overTls })
}

t.test('every board with a profile is checked with its key, also over TLS', async t => {
  const folder = ownFolder(t)
  const plain = await listening(t, createServer(board))
  const secure = await listening(
    t,
    createTlsServer({ key: readFileSync(pem('key')), cert: readFileSync(pem('cert')) }, board),
  )
  const profiles = {
    plain: { url: `http://127.0.0.1:${plain}`, api_key_file: 'key' },
    secure: { url: `https://localhost:${secure}`, api_key_file: join(folder, 'key') },
  }
  const run = await check(t, folder, profiles, { overTls: true })
  t.match(run, { code: 0, err: '' })
  t.match(JSON.parse(run.out), {
    count: 2,
    items: [
      { name: 'plain', url: profiles.plain.url, reachable: true, admitted: true, version: /^1\.2\.3/, problem: null },
      { name: 'secure', url: profiles.secure.url, reachable: true, admitted: true, problem: null },
    ],
  })
  const shown = await check(t, folder, { plain: profiles.plain }, { atTerminal: true })
  t.match(shown, { code: 0, out: /^backend +address +state +version\nplain +http:\/\/127\.0\.0\.1:\d+ +ok +1\.2\.3/ })
  t.notMatch(shown.out, '\u001b[31m')
})

t.test('the command reports for each backend why requests cannot reach it, also by the exit code', async t => {
  const folder = ownFolder(t)
  const port = await listening(t, createServer(board))
  const other = await listening(
    t,
    createServer((_req, res) => res.end('<html>')),
  )
  const gone = { url: 'http://127.0.0.1:1' }
  const page = { url: `http://127.0.0.1:${other}` }
  const refused = { url: `http://127.0.0.1:${port}`, api_key_file: 'wrong' }
  const lost = { url: `http://127.0.0.1:${port}`, api_key_file: 'nowhere' }
  const cases = [
    { profiles: { gone }, code: 69, problem: 'server_unreachable' },
    { profiles: { page }, code: 69, problem: 'not_a_board' },
    { profiles: { gone, refused }, code: 4, problem: 'backend_refuses' },
    { profiles: { keyless: { url: refused.url } }, code: 4, problem: 'backend_refuses' },
    { profiles: { gone, refused, lost }, code: 78, problem: 'backends_invalid' },
    { profiles: { bad: { url: 'ftp://x' } }, code: 78, problem: 'backends_invalid' },
  ]
  for (const { profiles, code, problem } of cases) {
    const run = await check(t, folder, profiles)
    t.match(run, { code, err: '' }, problem)
    t.ok(
      JSON.parse(run.out).items.some((item: { problem: { code: string } }) => item.problem?.code === problem),
      problem,
    )
    t.notMatch(run.out, /"wrong"|key-of/)
  }
  const shown = await check(t, folder, { gone, refused, lost }, { atTerminal: true })
  t.match(
    shown.out,
    /\ngone +http:\/\/127\.0\.0\.1:1 +unreachable[\s\S]*\n\ngone: The board does not answer: connection refused\./,
  )
})

t.test('a broken file is a configuration error, and a missing file is an empty list', async t => {
  const folder = ownFolder(t)
  const run = await check(t, folder, '{"hunter2', { args: ['--json'] })
  t.match(run, { code: 78 })
  t.match(JSON.parse(run.out), { error: { code: 'backends_invalid', detail: /not JSON.*backends\.json/ } })
  t.notMatch(run.out, /hunter2/)
  const none = await runDaybook(t, ['board', 'backends', 'check'], { env: { BOARD_HOME: join(folder, 'nowhere') } })
  t.same(none, { code: 0, out: '{"items":[],"count":0}\n', err: '' })
})
