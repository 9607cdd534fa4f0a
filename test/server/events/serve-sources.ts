import { createHmac } from 'node:crypto'
import type { Test } from 'tap'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { BY_ADMIN_TOKEN, serveClosed } from '../closed-ledger.js'
import { openLedger } from '../consumers/serve-consumers.js'

export const SECRET = 'a-secret-of-the-tests'

/** The builds of a service that signs its deliveries. */
export const BUILDS = {
  name: 'builds',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Signature', prefix: 'sha256=', encoding: 'hex' },
  ignore: [[{ at: 'header:x-event', is: 'ping' }]],
  rules: [
    {
      when: [{ at: 'header:x-event', is: 'build' }],
      kind: 'build.{/state}',
      subject_id: '{/id}',
      outcome: { template: '{/state}', map: { ok: 'succeeded', red: 'failed' } },
      actor: { id: '{/by/login}' },
      target: [
        { type: 'build', id: '{/repo}/{/id}', display: 'Build {/id}', url: '{/url}' },
        { type: 'repository', id: '{/repo}' },
      ],
      text: '{/message}',
      time: '{/at}',
      key: 'build:{/id}:{/state}',
    },
  ],
}

export const BUILD = {
  id: 7,
  state: 'red',
  repo: 'acme/app',
  by: { login: 'ada' },
  message: 'Tests',
  at: 1_935_000_000,
}

export async function serveSources(t: Test) {
  const { ledger, time, now } = await openLedger(t)
  const served = await serveClosed(t, { ledger, now })
  const put = (definition: { name: string }, secrets?: string[]) =>
    served.send(`/api/sources/${definition.name}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', ...BY_ADMIN_TOKEN },
      body: { definition, ...(secrets ? { secrets } : {}) },
    })
  const deliver = (name: string, body: unknown, headers: Record<string, string> = {}) =>
    served.post(`/webhooks/in/${name}`, typeof body === 'string' ? body : JSON.stringify(body), headers)
  const signed = (name: string, value: unknown, headers: Record<string, string> = {}) => {
    const body = JSON.stringify(value)
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
    return deliver(name, body, { 'x-signature': signature, 'x-event': 'build', ...headers })
  }
  const events = async (query = '') => {
    const { body } = await served.request(`/api/events?order=asc${query}`, { headers: BY_ADMIN_TOKEN })
    return body.items as StoredEvent[]
  }
  const remap = (name: string) => served.send(`/api/sources/${name}/remap`, { method: 'POST', headers: BY_ADMIN_TOKEN })
  return { ...served, put, deliver, signed, events, remap, time }
}
