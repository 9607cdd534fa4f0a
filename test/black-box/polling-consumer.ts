import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { BEGINNING, type Page } from './entries.js'
import { HttpClient, NoAnswer } from './http-client.js'

interface Polling {
  /** Query parameters other than `since`. */
  query: string
  /** The current address of the server. */
  url: () => string
  /** Called with each key; the consumer ends when it returns true. */
  isLast: (key: string) => boolean
}

/**
 * Reads by checkpoint: saves `next_since` after a complete page, and repeats the request after an incomplete one.
 *
 * @returns the keys of all events that it received, in order, even if the test ends before the last one
 */
export async function consume(t: Test, { query, url, isLast }: Polling): Promise<string[]> {
  const seen: string[] = []
  let since = BEGINNING
  let http = new HttpClient(url())
  let over = false
  t.teardown(() => {
    over = true
  })
  try {
    while (!over) {
      if (http.url !== url()) {
        http.close()
        http = new HttpClient(url())
      }
      const page = await tryPage(http, `/api/events?${query}&since=${since}`)
      if (page === undefined) {
        await sleep(20)
        continue
      }
      if (page.next_since === null || page.next_since < since) throw new Error(`${page.next_since} follows ${since}`)
      since = page.next_since
      for (const { dedupe_key: key } of page.items) seen.push(key)
      if (page.items.some(event => isLast(event.dedupe_key))) return seen
      if (page.items.length === 0) await sleep(30)
    }
    return seen
  } finally {
    http.close()
  }
}

/** A page, or undefined while no server answers. */
async function tryPage(http: HttpClient, path: string): Promise<Page | undefined> {
  try {
    const answer = await http.get(path)
    if (answer.status !== 200) throw new Error(`A consumer was answered ${answer.status}: ${answer.text}`)
    return answer.json<Page>()
  } catch (error) {
    if (error instanceof NoAnswer) return undefined
    throw error
  }
}
