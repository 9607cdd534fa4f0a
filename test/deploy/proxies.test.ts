import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { serve } from '../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { ownFolder } from '../black-box/own-folder.js'
import { memorySources } from '../settings/memory-sources.js'
import { freePort } from '../support/free-port.js'
import { readDeployed } from './deploy-files.js'
import { asker, makeCertificate, nginxMain, openStream, startProxy, untilAnswers } from './proxy-program.js'

const ADMIN_TOKEN = 'long-enough-secret-word'
const ADMIN = { 'x-event-admin-token': ADMIN_TOKEN }
const EVENT = { kind: 'deploy.finished', subject_type: 'deploy', source: 'ci' }

interface Proxy {
  port: number
  folder: string
}

/** Programs that serve a configuration in the foreground. The tests change addresses and paths in the files, and nothing else. */
const PROXIES: Record<
  string,
  (site: { ledger: string; board: string } & Proxy) => { file: string; text: string; args: string[] }
> = {
  nginx: ({ ledger, board, port, folder }) => {
    const site = readDeployed('proxy/nginx.conf')
      .replace(/server \{\n {4}listen 80;[\s\S]*?\n\}\n/, '')
      .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll(/\/etc\/ssl\/\S+\.pem/g, join(folder, 'certificate'))
      .replaceAll(/\/etc\/ssl\/\S+\.key/g, join(folder, 'key'))
      .replaceAll('http://127.0.0.1:8765', ledger)
      .replaceAll('http://127.0.0.1:8766', board)
    return { file: 'nginx.conf', text: nginxMain(folder, site), args: ['-p', folder, '-c', join(folder, 'nginx.conf')] }
  },
  caddy: ({ ledger, board, port, folder }) => {
    const tls = `\ttls ${join(folder, 'certificate')} ${join(folder, 'key')}\n`
    const site = readDeployed('proxy/Caddyfile')
      .replaceAll(/^(\S+\.example\.org) \{\n/gm, `https://$1:${port} {\n\tbind 127.0.0.1\n${tls}`)
      .replaceAll('127.0.0.1:8765', new URL(ledger).host)
      .replaceAll('127.0.0.1:8766', new URL(board).host)
    const main = '{\n\tadmin off\n\tauto_https off\n\tgrace_period 100ms\n}\n'
    const file = join(folder, 'Caddyfile')
    return { file: 'Caddyfile', text: main + site, args: ['run', '--adapter', 'caddyfile', '--config', file] }
  },
}

for (const [program, configure] of Object.entries(PROXIES)) {
  const isThere = spawnSync('which', [program]).status === 0
  const skip = isThere ? false : `SKIPPED: ${program} is not installed`
  t.test(
    `${program} serves ledger and board with the documented configuration, including streams`,
    { skip },
    async t => {
      const folder = ownFolder(t)
      const port = await freePort()
      const { ledger, board } = await startDaybook(t, folder, port)
      makeCertificate(folder)
      const { file, text, args } = configure({ ledger, board, port, folder })
      writeFileSync(join(folder, file), text, { mode: 0o600 })
      if (program === 'nginx') execFileSync('nginx', ['-t', ...args], { stdio: 'pipe' })
      const proxy = startProxy(t, program, args, folder)
      const ask = asker(port)
      await untilAnswers(ask, proxy)

      t.match(await ask('/api/health'), { status: 200, body: /"status":"ok"/ })
      t.match(await ask('/', { host: 'board.example.org' }), { status: 200, body: /<!doctype html>/i })
      // Blanks after each event: the proxy reads as much as of events of this size, and the ledger stores little.
      const events = Array.from({ length: 33 }, (_, id) => JSON.stringify({ ...EVENT, subject_id: `large ${id}` }))
      const large = `[${events.join(`${' '.repeat(1_000_000)},`)}]`
      t.match(await ask('/api/events', { headers: ADMIN, body: large }), { status: 200 }, 'a batch of nearly 32 MiB')

      const stream = await openStream(port, '/api/stream', ADMIN)
      t.match(await ask('/api/events', { headers: ADMIN, body: { ...EVENT, subject_id: '2' } }), { status: 201 })
      await stream.until(/"subject_id":"2"/)
      stream.close()
      if (program !== 'nginx') return
      const wrong = Array.from({ length: 14 }, () =>
        ask('/api/login', { body: { username: 'ada', password: 'wrong' } }),
      )
      const refused = (await Promise.all(wrong)).filter(({ status, body }) => status === 429 && /nginx/.test(body))
      t.ok(refused.length > 0, 'it slows down who guesses passwords')
    },
  )
}

async function startDaybook(t: Test, folder: string, port: number) {
  const env = {
    EVENT_LOG_LEVEL: 'silent',
    EVENT_ADMIN_TOKEN: ADMIN_TOKEN,
    BOARD_HOME: join(folder, 'board'),
    EVENT_PUBLIC_URL: `https://ledger.example.org:${port}`,
    EVENT_COOKIE_SECURE: '1',
    BOARD_SERVICE_URL: `https://board.example.org:${port}`,
    BOARD_COOKIE_SECURE: '1',
    BOARD_PASSWORD: 'a-long-password',
    EVENT_TRUSTED_PROXIES: '127.0.0.1/32',
    BOARD_TRUSTED_PROXIES: '127.0.0.1/32',
  }
  const sources = memorySources({ env })
  const running = await serve(
    readServeSettings({ db: join(folder, 'events.db'), port: '0', boardPort: '0' }, sources),
    sources,
  )
  t.teardown(() => running.close())
  return { ledger: running.ledger?.url ?? '', board: running.board?.url ?? '' }
}
