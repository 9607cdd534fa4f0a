import type { Bench } from '../bench.js'
import { EventMaker } from '../events.js'
import type { Figure } from '../figure.js'
import { findPostgres, PostgresCluster } from '../postgres-cluster.js'
import { insertScript, POSTGRES_TABLE } from '../postgres-table.js'
import { measureFresh } from './posts.js'

const CLIENTS = 64
/** Maximum number of scripts that pgbench accepts. */
const SCRIPTS = 100

/** Raw PostgreSQL with the same table and indexes, one event a transaction, compared with one event a POST. */
export async function measurePostgres(bench: Bench): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  const programs = findPostgres(process.env.PATH ?? '')
  if (programs === undefined) {
    progress('no programs of a PostgreSQL server on this machine: not measured')
    return []
  }
  progress('raw PostgreSQL, one event a transaction')
  const cluster = await PostgresCluster.start(workspace, programs)
  await cluster.sql(POSTGRES_TABLE)
  const maker = new EventMaker()
  const scripts = Array.from({ length: SCRIPTS }, (_, index) => insertScript(maker, index))
  const warmUp = { clients: CLIENTS, seconds: Math.ceil(options.warmupMs / 1_000) }
  await cluster.pgbench(scripts, warmUp)
  const rate = await cluster.pgbench(scripts, { clients: CLIENTS, seconds: options.measureMs / 1_000 })
  const [fsync = ''] = (await cluster.sql('SHOW fsync')).trim().split('\n')
  progress('a ledger in the same PostgreSQL, one event a POST')
  const inPostgres = await measureFresh(bench, CLIENTS, { EVENT_DB: cluster.address })
  const again = await cluster.pgbench(scripts, { clients: CLIENTS, seconds: options.measureMs / 1_000 })
  await cluster.stop()

  const ours = bench.postRates.get(CLIENTS) ?? (await measureFresh(bench, CLIENTS)).rate
  return [
    {
      what: `one new event a POST, ${CLIENTS} connections, HTTP included`,
      value: ours,
      unit: 'events/s',
      yardstick: { what: `PostgreSQL, pgbench, ${CLIENTS} clients`, value: rate, unit: 'events/s' },
      goal: { atLeastTimes: 1 },
      details: { fsync },
    },
    {
      what: 'PostgreSQL: one new event a POST, 64 connections',
      value: inPostgres.rate,
      unit: 'events/s',
      details: inPostgres,
      yardstick: {
        what: `PostgreSQL, pgbench, ${CLIENTS} clients, before and after`,
        value: (rate + again) / 2,
        unit: 'events/s',
      },
      goal: { atLeastTimes: 1.2 },
    },
  ]
}
