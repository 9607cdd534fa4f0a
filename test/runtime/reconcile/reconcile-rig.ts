import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { eventsOf } from '../../../src/model/events/event-query.js'
import type { HookReport, ListingSource, ReconcileRequest } from '../../../src/model/platforms/reconciliation.js'
import { adapterOf } from '../../../src/platforms/adapters.js'
import { acceptDelivery } from '../../../src/platforms/deliveries/accept-delivery.js'
import { type ReconcileCall, Reconciliations } from '../../../src/runtime/reconcile/reconciliations.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import type { ListingPlatform } from '../../support/listing-platform/listing-platform.js'
import { testFolder } from '../../support/test-folder.js'

export interface Sent {
  headers: Record<string, string>
  body: unknown
}

/** A ledger of the test, and the work of `daybook reconcile` on it. */
interface ReconcileRig {
  ledger: Ledger
  /** Receives a delivery by its webhook. @returns whether the event was new */
  receive(source: ListingSource, sent: Sent): Promise<boolean>
  reconcile(platform: ListingPlatform, changes?: Partial<ReconcileRequest>, call?: ReconcileCall): Promise<HookReport>
  events(): Promise<StoredEvent[]>
}

export async function reconcileRig(t: Test, { receives = false } = {}): Promise<ReconcileRig> {
  const clock = () => Date.now() * 1_000
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock, onFailure })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  const reconciliations = new Reconciliations({ ledger, now: Date.now, sleep: shortly, receives })
  return {
    ledger,
    receive: async (source, { headers, body }) => {
      const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
      const rules = { secrets: [], requireVerified: false, context: {} }
      const { events, deliveryId } = acceptDelivery(adapterOf(source), { headers, body: bytes }, rules)
      const known = deliveryId === undefined ? {} : { delivery_id: deliveryId }
      const provenance = { route: 'webhook', verified: 'none', ...known } as const
      const outcomes = await ledger.record(events.map(({ event }) => ({ event, provenance })))
      return outcomes.some(({ created }) => created)
    },
    reconcile: async ({ hook }, changes = {}, call = {}) => {
      const request = { hooks: [hook], since_seconds: 3 * 86_400, dry_run: false, ...changes }
      const { hooks } = await reconciliations.run(request, call)
      const [report] = hooks
      if (report === undefined) throw new Error('No hook was reconciled.')
      return report
    },
    events: async () => {
      const events: StoredEvent[] = []
      for (let since = 0; ; ) {
        const page = await ledger.query({ order: 'asc', limit: 500, since })
        events.push(...eventsOf(page))
        if (!page.hasMore) return events
        since = page.nextSince ?? since
      }
    },
  }
}

/** Waits are recorded and shortened. */
function shortly(milliseconds: number): Promise<unknown> {
  return setTimeout(Math.min(milliseconds, 20))
}

/** An issue that was opened on GitHub, as delivery `delivery-<number>`. */
export function issueOpened(number: number): Sent {
  const repository = { id: 1, full_name: 'acme/site', html_url: 'https://github.com/acme/site', name: 'site' }
  return {
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': `delivery-${number}`,
    },
    body: {
      action: 'opened',
      issue: {
        id: 1_000 + number,
        number,
        title: `Issue ${number}`,
        html_url: `https://github.com/acme/site/issues/${number}`,
      },
      repository,
      sender: { id: 7, login: 'ada', html_url: 'https://github.com/ada' },
    },
  }
}

/** A different delivery for each number. */
export function anyDelivery(source: ListingSource, number: number): Sent {
  if (source === 'code_a') return issueOpened(number)
  if (source === 'forum') {
    return {
      headers: {
        'content-type': 'application/json',
        'x-discourse-instance': 'https://forum.example.org',
        'x-discourse-event-id': String(number),
        'x-discourse-event-type': 'topic',
        'x-discourse-event': 'topic_created',
      },
      body: { topic: { id: number, title: `Topic ${number}`, slug: 'topic', created_at: '2026-11-20T10:00:00.000Z' } },
    }
  }
  return {
    headers: {
      'content-type': 'application/json',
      'x-gitlab-event': 'Issue Hook',
      'idempotency-key': `key-${number}`,
      'x-gitlab-instance': 'https://gitlab.example.org',
      'x-gitlab-token': 'secret',
    },
    body: {
      object_kind: 'issue',
      user: { id: 1, name: 'Ada', username: 'ada', email: 'ada@example.org' },
      project: { id: 42, web_url: 'https://gitlab.example.org/acme/site', path_with_namespace: 'acme/site' },
      object_attributes: {
        id: number,
        iid: number,
        action: 'open',
        title: `Issue ${number}`,
        created_at: '2026-11-20 10:00:00 UTC',
      },
    },
  }
}
