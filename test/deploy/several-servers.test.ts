import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { readPage } from '../docs/pages.js'
import { eventOf, type Page, startServers } from '../runtime/postgres/three-servers.js'
import { freePort } from '../support/free-port.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { asker, makeCertificate, nginxMain, openStream, startProxy, untilAnswers } from './proxy-program.js'

const ADMIN_TOKEN = 'long-enough-secret-word'
const headers = { 'x-event-admin-token': ADMIN_TOKEN }
const PAGE = 'docs/how-to/use-postgresql.md'

const programs = findPostgres()
const isThere = programs !== undefined && spawnSync('which', ['nginx']).status === 0
const skip = isThere ? false : 'SKIPPED: nginx or PostgreSQL is not installed'
t.test(
  'nginx distributes requests among three servers as documented, and leaves out a stopped one',
  { skip },
  async t => {
    const cluster = await TestCluster.shared(t, programs ?? '')
    const [folder, port] = [ownFolder(t), await freePort()]
    const env = {
      EVENT_ADMIN_TOKEN: ADMIN_TOKEN,
      EVENT_COOKIE_SECURE: '1',
      EVENT_TRUSTED_PROXIES: '127.0.0.1/32',
      EVENT_PUBLIC_URL: `https://ledger.example.org:${port}`,
    }
    const { urls, servers } = await startServers(t, cluster, { env })
    makeCertificate(folder)
    const block = readPage(PAGE).blocks.find(({ language, text }) => language === 'nginx' && text.includes('upstream'))
    const site = (block?.text ?? '')
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace(/\/etc\/ssl\/\S+\.pem/, join(folder, 'certificate'))
      .replace(/\/etc\/ssl\/\S+\.key/, join(folder, 'key'))
      .replaceAll(/10\.0\.0\.1(\d):8765/g, (_, server) => new URL(urls[server - 1] ?? '').host)
    t.equal(site.match(/server 127\.0\.0\.1:/g)?.length, 3)
    writeFileSync(join(folder, 'nginx.conf'), nginxMain(folder, site), { mode: 0o600 })
    const args = ['-p', folder, '-c', join(folder, 'nginx.conf')]
    execFileSync('nginx', ['-t', ...args], { stdio: 'pipe' })
    const ask = asker(port)
    await untilAnswers(ask, startProxy(t, 'nginx', args, folder))
    const post = (key: string) => ask('/api/events', { headers, body: eventOf(key) })
    const head = async (): Promise<Page> => JSON.parse((await ask('/api/events?limit=1', { headers })).body)

    t.match(await post('first'), { status: 201 })
    const repeats = await Promise.all(['first', 'first', 'first'].map(post))
    t.same(
      repeats.map(({ status }) => status),
      [200, 200, 200],
    )
    const stream = await openStream(port, '/api/stream', headers)
    const since = (await head()).next_since
    const polls = ['', '&source=notes', '&kind=note.*'].map(query =>
      ask(`/api/events?since=${since}&wait=30${query}`, { headers }),
    )
    t.match(await post('second'), { status: 201 })
    await stream.until(/"second"/)
    for (const { body } of await Promise.all(polls)) t.match(JSON.parse(body), { items: [{ dedupe_key: 'second' }] })

    await servers[1]?.close()
    const answers = await Promise.all(Array.from({ length: 12 }, () => head()))
    for (const { items } of answers) t.match(items, [{ dedupe_key: 'second' }])
    stream.close()
    const again = await openStream(port, `/api/stream?since=${since}`, headers)
    await again.until(/"second"/)
    again.close()
  },
)
