import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { settle } from '../ledger-calls.js'
import { startLedger } from '../programs.js'

const ADMIN_TOKEN = 'the-token-of-a-benchmark'
const ASK_EVERY_MS = 20

interface Health {
  head_digest: string | null
  follows?: { state: string; lag_events: number | null }
}

/** How fast a new follower copies a ledger. Leader, follower and both disks share one machine. */
export async function measureFollowing({ workspace, largeLedger, progress }: Bench): Promise<Figure[]> {
  const { folder, events } = await largeLedger.get()
  const leader = await startLedger(workspace, folder, { EVENT_ADMIN_TOKEN: ADMIN_TOKEN })
  await settle(leader.port, progress)
  progress(`a follower copies ${events} events`)
  const startedAt = performance.now()
  const follower = await startLedger(workspace, await workspace.folder('follower'), {
    EVENT_FOLLOW: `http://127.0.0.1:${leader.port}`,
    EVENT_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  const { head_digest: digest } = await readHealth(leader.port)
  for (let copied = await readHealth(follower.port); copied.follows?.state !== 'in_step'; ) {
    if (copied.follows?.state === 'stopped') throw new Error('The follower has stopped.')
    await sleep(ASK_EVERY_MS)
    copied = await readHealth(follower.port)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  if ((await readHealth(follower.port)).head_digest !== digest) throw new Error('The follower has other events.')
  await follower.stop()
  await leader.stop()
  return [{ what: `a new follower copies ${events} events`, value: events / seconds, unit: 'events/s' }]
}

async function readHealth(port: number): Promise<Health> {
  return (await (await fetch(`http://127.0.0.1:${port}/api/health`)).json()) as Health
}
