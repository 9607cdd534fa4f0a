import { join } from 'node:path'
import type { Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { START } from '../memory-ledger.js'
import { message, serve } from '../serve.js'

/** Over a real store, with a clock that is set by hand. Closed after what is opened next. */
export async function openLedger(t: Test) {
  const time = { now: START }
  const clock = () => time.now
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  t.teardown(() => store.close())
  return { ledger, store, time, now: clock }
}

/** A server over such a ledger. */
export async function serveConsumers(t: Test) {
  const { ledger, time, now } = await openLedger(t)
  const served = await serve(t, { ledger, now })
  const { post, request } = served
  const put = (name: string, body: unknown = {}) =>
    request(`/api/consumers/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  /** Records messages of these subjects, oldest first. @returns their keys */
  const record = async (...subjects: string[]) => {
    for (const subject of subjects) await post('/api/events', { source: 'demo', ...message(subject) })
    return subjects.map(subject => `demo:message.created:message:${subject}`)
  }
  const next = (name: string, query = '', headers: Record<string, string> = {}) =>
    request(`/api/consumers/${name}/events${query}`, { headers })
  const ack = (name: string, body: unknown) => post(`/api/consumers/${name}/ack`, body)
  return { ...served, put, record, next, ack, time }
}
