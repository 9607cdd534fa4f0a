import { type Delivery, deliveryMaker } from './deliveries.js'
import { EventMaker, idleSubscription, watchingSubscription } from './events.js'
import type { LoadPlan, Work } from './load-plan.js'

/** @returns the nth request of the work, complete */
export type MakeRequest = (index: number) => Buffer

/** Turns work into requests for the server on `port`, the first `prepare` of them immediately. */
export function requestsOf({ work, port, prepare, requests }: LoadPlan): MakeRequest {
  const make = requestMaker(work, port)
  const repeating = repeatsAfter(work)
  const prepared = Array.from({ length: Math.min(prepare, requests, repeating) }, (_, index) => make(index))
  return index => prepared[index % repeating] ?? make(index)
}

function requestMaker(work: Work, port: number): MakeRequest {
  const host = `127.0.0.1:${port}`
  const maker = new EventMaker()
  const { kind } = work
  switch (kind) {
    case 'events':
    case 'repeats':
      return index => post(host, '/api/events', 'application/json', maker.eventText(work.first + index))
    case 'batches':
      return index => {
        const lines = maker.batchText(work.first + index * work.size, work.size)
        return post(host, '/api/events', 'application/x-ndjson', lines)
      }
    case 'deliveries': {
      const deliver = deliveryMaker(work.source, work.size)
      return index => deliveryRequest(host, deliver(work.first + index))
    }
    case 'payloads': {
      const deliver = deliveryMaker(work.source, work.size)
      return index => {
        const { body } = deliver(work.first + index)
        const event = `{"kind":"delivery.kept","subject_type":"delivery","subject_id":"${work.first + index}","payload":${body}}`
        return post(host, '/api/events', 'application/json', event)
      }
    }
    case 'subscriptions': {
      const text = work.which === 'idle' ? idleSubscription : watchingSubscription
      return index => post(host, '/api/subscriptions', 'application/json', text(work.first + index))
    }
    case 'reads':
      return index => get(host, work.paths[index % work.paths.length] ?? '/', work.headers)
    case 'logins': {
      const { username, password } = work
      return () => post(host, '/api/login', 'application/json', JSON.stringify({ username, password }))
    }
  }
}

function repeatsAfter(work: Work): number {
  if (work.kind === 'repeats') return work.count
  if (work.kind === 'logins') return 1
  return work.kind === 'reads' ? work.paths.length : Number.POSITIVE_INFINITY
}

/** @param host with its port */
export function get(host: string, path: string, headers: Readonly<Record<string, string>> = {}): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${toLines(headers)}\r\n`)
}

function toLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

function deliveryRequest(host: string, { path, headers, body }: Delivery): Buffer {
  const type = 'Content-Type: application/json\r\n'
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${type}${toLines(headers)}Content-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

function post(host: string, path: string, type: string, body: string): Buffer {
  const length = Buffer.byteLength(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  return Buffer.from(head + body)
}
