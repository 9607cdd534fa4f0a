import type { IncomingMessage } from 'node:http'
import type { Test } from 'tap'
import { HttpClient } from './http-client.js'
import { type Random, wholeNumber } from './seeded.js'

interface Streaming {
  url: string
  random: Random
  /** Maximum number of messages before the connection is cut. */
  longest: number
  isLast: (key: string) => boolean
}

interface Message {
  id: string
  event: string
  data: string
}

/** Reads server-sent events like a browser that sometimes loses its connection. */
export async function consumeStream(
  t: Test,
  { url, random, longest, isLast }: Streaming,
): Promise<{ seen: string[]; cuts: number }> {
  const seen: string[] = []
  let cuts = 0
  let lastId: string | undefined
  const http = new HttpClient(url)
  let over = false
  t.teardown(() => {
    over = true
  })
  try {
    while (!over) {
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
      const response = await http.open('/api/stream?days=1', { headers })
      let left = wholeNumber(random, 1, longest)
      for await (const { id, event, data } of messages(response)) {
        lastId = id
        if (event === 'message') seen.push((JSON.parse(data) as { dedupe_key: string }).dedupe_key)
        if (isLast(seen.at(-1) ?? '')) return { seen, cuts }
        left -= 1
        if (left === 0) break
      }
      response.destroy()
      cuts += 1
    }
    return { seen, cuts }
  } finally {
    http.close()
  }
}

/** Splits a stream into its messages. An incomplete message at its end is dropped. */
async function* messages(response: IncomingMessage): AsyncGenerator<Message> {
  let rest = ''
  for await (const chunk of response.setEncoding('utf8')) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const [id, data] = [field('id'), field('data')]
      if (id !== undefined && data !== undefined) yield { id, event: field('event') ?? 'message', data }
    }
  }
}
