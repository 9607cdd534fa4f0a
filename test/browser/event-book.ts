import { join } from 'node:path'
import type { Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import { readEvent } from '../../src/ledger/read-event.js'
import type { Provenance } from '../../src/model/events/event.js'
import { type Micros, readTimestamp } from '../../src/model/timestamp.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { testFolder } from '../support/test-folder.js'

/** The instant at which events of these tests are captured by default. */
const NOON = '2025-11-20T12:00:00.000000Z'

export interface Written {
  /** When it is captured; a later one than that of the event before. */
  at?: string
  provenance?: Partial<Provenance>
  [member: string]: unknown
}

/** A ledger in a file, whose clock is set by the events of the test. */
export async function openBook(t: Test) {
  let time: Micros = readTimestamp('noon', NOON).micros
  const clock = () => time
  const store = await openSqliteStore({
    path: join(testFolder(t), 'events.db'),
    clock,
    onFailure: error => t.fail(String(error)),
  })
  t.teardown(() => store.close())
  let subscriptions = 0
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => `sub_${++subscriptions}` })
  let written = 0
  const write = async (...events: Written[]) => {
    for (const { at, provenance, ...event } of events) {
      if (at !== undefined) time = readTimestamp('at', at).micros
      written += 1
      await ledger.record([{ event: readEvent(message(written, event)), provenance: { ...BY_API, ...provenance } }])
    }
  }
  return { ledger, write }
}

const BY_API: Provenance = { route: 'api', verified: 'none' }

function message(number: number, change: Record<string, unknown>) {
  const id = String(number)
  return {
    kind: 'message.created',
    subject_type: 'message',
    subject_id: id,
    source: 'chat',
    dedupe_key: `chat:${id}`,
    actor: { id: '17', display: 'Ada Okafor', metadata: { email: 'ada@example.org' } },
    actor_role: 'maintainer',
    target: {
      type: 'message',
      key: `message:${id}`,
      parent: {
        type: 'topic',
        key: 'topic:deploys',
        display: 'deploys',
        parent: { type: 'stream', key: 'stream:4', display: 'eng' },
      },
    },
    conversation: { key: 'topic:deploys', text: `Word ${id}.` },
    ...change,
  }
}
