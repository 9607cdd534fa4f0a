import { join } from 'node:path'
import type { Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import type { RestAccount } from '../../../src/model/platforms/history.js'
import type { CaptureRequest, WatchCapture } from '../../../src/model/subscriptions/capture.js'
import { readTimestamp } from '../../../src/model/timestamp.js'
import { Captures } from '../../../src/runtime/capture/captures.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { timeAt } from '../../support/history-servers/sample-repository.js'
import { testFolder } from '../../support/test-folder.js'

export const WATCH = {
  id: 'engine',
  source: 'code_a',
  target: 'repo:ada/engine',
  capture_modes: ['poll'],
}

/** A ledger with a clock that a test moves. */
interface PollRig {
  ledger: Ledger
  captures: Captures
  /** Epoch microseconds. */
  clock: { now: number }
  /** Moves the clock to this minute of the stand-ins' time. */
  at(minute: number): void
  poll(account: RestAccount, id?: string): Promise<WatchCapture>
  due(account: RestAccount): Promise<readonly WatchCapture[]>
  /** Another process on the same ledger. */
  restart(): Promise<void>
}

/** @param watches saved at minute 0 */
export async function pollRig(t: Test, watches: readonly Record<string, unknown>[] = [WATCH]): Promise<PollRig> {
  const clock = { now: microsAt(0) }
  const now = () => clock.now
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock: now, onFailure })
  t.teardown(() => store.close())
  const open = () => Ledger.open({ store, clock: now, newSubscriptionId: () => 'sub_1' })
  const ledger = await open()
  for (const watch of watches) await ledger.saveSubscription(watch)
  const run = async (account: RestAccount, more: Partial<CaptureRequest>) => {
    const { captures } = await rig.captures.run({ backfill: 100, platforms: [account], ...more })
    return captures
  }
  const rig: PollRig = {
    ledger,
    captures: new Captures(ledger, now),
    clock,
    at: minute => {
      clock.now = microsAt(minute)
    },
    poll: async (account, id = 'engine') => {
      const [capture] = await run(account, { subscription_id: id })
      if (!capture) throw new Error('Nothing was captured.')
      return capture
    },
    due: account => run(account, {}),
    restart: async () => {
      rig.ledger = await open()
      rig.captures = new Captures(rig.ledger, now)
    },
  }
  return rig
}

function microsAt(minute: number): number {
  return readTimestamp('time', timeAt(minute)).micros
}
