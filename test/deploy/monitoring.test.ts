import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { serve } from '../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { openPostgresStore } from '../../src/store/postgres/store.js'
import { ownFolder } from '../black-box/own-folder.js'
import { ROOT } from '../docs/pages.js'
import { readReference } from '../docs/reference-page.js'
import { memorySources } from '../settings/memory-sources.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { testFolder } from '../support/test-folder.js'

const FOLDER = join(ROOT, 'deploy/monitoring')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

/** The metrics of both programs, with all that appears only if it is configured: those of a follower and of a read replica are among those of the ledger. */
async function readMetrics(t: Test): Promise<Record<'ledger' | 'board', string>> {
  const folder = ownFolder(t)
  const backups = testFolder(t)
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/gu, '')
  writeFileSync(join(backups, `ledger-${time}.db.gz`), 'a backup that is not due again')
  const env = { EVENT_LOG_LEVEL: 'silent', BOARD_HOME: join(folder, 'board'), EVENT_ADMIN_TOKEN: 'root-secret' }
  // No chat server answers there, but the metrics of its event queue exist.
  const chat = { EVENT_CHAT_URL: 'http://127.0.0.1:9', EVENT_CHAT_EMAIL: 'bot@example.org', EVENT_CHAT_API_KEY: 'k' }
  const sources = memorySources({ env: { ...env, ...chat, EVENT_BACKUP_DIR: backups } })
  const flags = { db: join(folder, 'events.db'), port: '0', boardPort: '0', capture: true }
  const running = await serve(readServeSettings(flags, sources), sources)
  t.teardown(() => running.close())
  const body = '{"kind":"a.b","subject_type":"a","subject_id":"1","source":"ci"}'
  await fetch(`${running.ledger?.url}/api/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const asAdmin = { 'x-event-admin-token': env.EVENT_ADMIN_TOKEN }
  const json = { ...asAdmin, 'content-type': 'application/json' }
  await fetch(`${running.ledger?.url}/api/consumers/deploys`, { method: 'PUT', headers: json, body: '{}' })
  await fetch(`${running.ledger?.url}/webhooks/code_a`, { method: 'POST', body: '?' })
  const textOf = async (url: string | undefined) => (await fetch(`${url}/metrics`, { headers: asAdmin })).text()
  const [ledger, board] = [await textOf(running.ledger?.url), await textOf(running.board?.url)]
  const following = ownLines(await readFollower(t, running.ledger?.url ?? '', env), /daybook_follow_/)
  const replica = ownLines(await readWithReplica(t, env), /daybook_replica_/)
  return { ledger: ledger + following + replica, board }
}

/** The metrics of a follower that is in step. */
async function readFollower(t: Test, follow: string, env: Record<string, string>): Promise<string> {
  const sources = memorySources({ env })
  const flags = { only: 'ledger', db: join(testFolder(t), 'copy.db'), port: '0', follow } as const
  const { ledger, close } = await serve(readServeSettings(flags, sources), sources)
  t.teardown(close)
  const headers = { 'x-event-admin-token': env.EVENT_ADMIN_TOKEN ?? '' }
  for (;;) {
    const text = await (await fetch(`${ledger?.url}/metrics`, { headers })).text()
    if (/^daybook_follow_lag_events 0$/m.test(text)) return text
  }
}

/** The metrics of a server with a read replica. */
async function readWithReplica(t: Test, env: Record<string, string>): Promise<string> {
  const primary = await TestCluster.start(t, programs ?? '')
  const address = primary.newAddress()
  await (await openPostgresStore({ address })).close()
  const standby = await TestCluster.standbyOf(t, primary)
  const read = { ...address, hosts: [{ host: standby.folder, port: standby.port }] }
  const sources = memorySources({ env: { ...env, EVENT_DB: shownAddress(address), EVENT_DB_READ: shownAddress(read) } })
  const { ledger, close } = await serve(readServeSettings({ only: 'ledger', port: '0' }, sources), sources)
  t.teardown(close)
  return (
    await fetch(`${ledger?.url}/metrics`, { headers: { 'x-event-admin-token': env.EVENT_ADMIN_TOKEN ?? '' } })
  ).text()
}

function ownLines(text: string, name: RegExp): string {
  const lines = text.split('\n').filter(line => name.test(line))
  return lines.map(line => `${line}\n`).join('')
}

const programs = findPostgres()

t.test('monitoring', programs === undefined ? { skip: 'there is no PostgreSQL server' } : {}, async t => {
  const metrics = await readMetrics(t)
  const names = { ledger: namesIn(metrics.ledger), board: namesIn(metrics.board) }
  const samples = new Set([...samplesOf(metrics.ledger), ...samplesOf(metrics.board)])
  const expressions = dashboardExpressions()

  t.test('the reference lists every metric with its program, its type and its labels, and no other', async t => {
    const { sections } = readReference('metrics')
    const rows = sections.flatMap(({ tables }) => tables).filter(({ of }) => of === 'metric')
    const described = rows.flatMap(table => table.rows).map(([name = '', program, type]) => [name, program, type])
    const own = [...new Set([...names.ledger, ...names.board])].filter(name => name.startsWith('daybook_'))
    const programOf = (name: string) => (names.ledger.has(name) ? (names.board.has(name) ? 'both' : 'ledger') : 'board')
    const typeOf = (name: string) =>
      new RegExp(`^# TYPE ${name} (\\w+)`, 'm').exec(`${metrics.ledger}\n${metrics.board}`)?.[1]
    t.same(described.sort(), own.map(name => [`\`${name}\``, programOf(name), typeOf(name)]).sort())
  })

  t.test('the alert rules and the dashboard name only metrics that exist', async t => {
    const named = (text: string) => [...text.matchAll(/\b(?:daybook|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name)
    const rules = named(read('alerts.yml').replaceAll(/^\s+description:.*$/gm, ''))
    const shown = named(expressions.join('\n'))
    t.ok(rules.length > 15 && shown.length > 30)
    t.same(
      [...new Set([...rules, ...shown])].filter(name => !samples.has(name)),
      [],
    )
    const unused = [...samples].filter(name => name.startsWith('daybook_') && ![...rules, ...shown].includes(name))
    t.same(unused, ['daybook_http_request_duration_seconds_sum'], 'every metric is shown')
  })

  t.test('every alert has a test, and a place in the test of the healthy servers', async t => {
    const alerts = [...read('alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name)
    t.ok(alerts.length > 15, `${alerts.length} alerts`)
    const [, healthy = '', ...others] = read('alerts.test.yml').split(/^ {2}- name:/m)
    for (const alert of alerts) {
      if (alert !== 'DaybookRecordsSlowly') t.match(healthy, `alertname: ${alert},`, `${alert} is silent`)
      t.match(others.join(''), `alertname: ${alert}\n`, `${alert} is raised`)
    }
  })

  t.test('promtool accepts metrics, rules and expressions', needs('promtool'), async t => {
    for (const program of ['ledger', 'board'] as const) {
      t.same(promtool(['check', 'metrics'], metrics[program]), { status: 0, text: '' }, program)
    }
    const recorded = expressions.map((expr, at) => ({ record: `shown:${at}`, expr }))
    const shown = join(testFolder(t), 'shown.yml')
    writeFileSync(shown, JSON.stringify({ groups: [{ name: 'shown', rules: recorded }] }))
    t.match(promtool(['check', 'rules', join(FOLDER, 'alerts.yml'), shown]), { status: 0 })
    t.match(promtool(['check', 'config', '--syntax-only', join(FOLDER, 'prometheus.yml')]), { status: 0 })
    t.match(promtool(['test', 'rules', join(FOLDER, 'alerts.test.yml')]), { status: 0 })
  })
})

/** Names of metrics, as their types are declared. */
function namesIn(text: string): Set<string> {
  return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
}

/** Names of samples, also of those that have none yet. */
function samplesOf(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  )
}

interface Panel {
  type: string
  title: string
  targets?: { expr: string }[]
}

/** With a range in the place of Grafana's variable. */
function dashboardExpressions(): string[] {
  const { panels, templating } = JSON.parse(read('dashboard.json')) as {
    panels: Panel[]
    templating: { list: { definition?: string }[] }
  }
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const variables = templating.list.flatMap(
    ({ definition }) => /label_values\((.*), \w+\)/.exec(definition ?? '')?.[1] ?? [],
  )
  return [...queries, ...variables].map(expr => expr.replaceAll('$__rate_interval', '5m'))
}

function promtool(args: string[], input = ''): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, text: status === 0 && args[1] !== 'metrics' ? '' : stdout + stderr }
}

function needs(program: string): { skip?: string } {
  return spawnSync('which', [program]).status === 0 ? {} : { skip: `not installed: ${program}` }
}
