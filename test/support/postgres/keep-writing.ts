import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import type { PostgresStore } from '../../../src/store/postgres/store.js'
import { keysOf, messageCreated } from '../events.js'

/** How often a test of bad luck repeats it: `DAYBOOK_TEST_ROUNDS` for a long run of one file. */
export function roundsOf(usual: number): number {
  return Number(process.env.DAYBOOK_TEST_ROUNDS ?? usual)
}

/** Writes until `stop`, and repeats what failed, as senders do. @returns the keys that were acknowledged, in order */
export function keepWriting(stores: readonly PostgresStore[], name: string) {
  const acknowledged: string[] = []
  let isStopped = false
  const write = async () => {
    for (let at = 0; !isStopped; at++) {
      const key = `${name}/${at}`
      for (let isStored = false; !isStored && !isStopped; ) {
        const store = stores[at % stores.length] as PostgresStore
        isStored = await store.events.record([messageCreated(key)]).then(() => true, unavailable)
        if (isStored) acknowledged.push(key)
      }
    }
  }
  const written = write()
  return {
    acknowledged,
    stop: async () => {
      isStopped = true
      await written
    },
  }
}

async function unavailable(error: unknown): Promise<false> {
  if (!(error instanceof AppError) || error.category !== 'unavailable') throw error
  await sleep(20)
  return false
}

/** Checks that every acknowledged event is stored once, and that the writers met no other problem. */
export async function checkAll(
  t: Pick<Test, 'same' | 'notOk' | 'equal'>,
  store: PostgresStore,
  acknowledged: readonly string[],
) {
  const stored = new Set<string>()
  let isTwice = false
  for (let since = 0, more = true; more; ) {
    const page = await store.events.query({ order: 'asc', limit: 500, since })
    const keys = keysOf(page)
    isTwice ||= keys.some(key => stored.has(key))
    for (const key of keys) stored.add(key)
    since = page.nextSince ?? since
    more = page.hasMore
  }
  t.notOk(isTwice, 'each once')
  t.same(
    acknowledged.filter(key => !stored.has(key)),
    [],
    'nothing acknowledged is lost',
  )
  const found = await store.events.verify({ since: null, limit: 1_000_000 })
  t.same(found.problems, [])
  t.equal(found.events, stored.size)
  t.equal((await store.events.stats()).event_count, stored.size)
}
