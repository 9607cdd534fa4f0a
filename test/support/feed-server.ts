import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

interface FeedAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** The answer waits for it. */
  after?: Promise<unknown>
}

/** A server of feeds whose answers a test sets. */
export async function serveFeeds(t: Test) {
  const asked: { path: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (req, res) => {
    const path = req.url ?? ''
    asked.push({ path, headers: req.headers })
    const { status = 200, headers = {}, body = '', after } = feeds.answers.get(path) ?? { status: 404 }
    await after
    res.writeHead(status, headers).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise(resolve => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  const feeds = {
    answers: new Map<string, FeedAnswer>(),
    asked,
    port,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
  }
  return feeds
}

/** @param keys newest first */
export function rss(...keys: string[]): string {
  const items = keys.map(
    key => `<item><guid>${key}</guid><title>Item ${key}</title><link>https://example.org/${key}</link></item>`,
  )
  return `<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`
}
