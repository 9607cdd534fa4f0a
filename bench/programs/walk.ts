/**
 * Readers of pages, as a process of its own. Argument: a `WalkPlan` as JSON. It prints a line, waits for a line of
 * input, reads the pages, and prints the `WalkResult` as JSON.
 */
import { once } from 'node:events'
import { HttpConnection } from '../http-connection.js'
import { get } from '../requests.js'
import type { WalkPlan, WalkResult } from '../walk-plan.js'

/** The end of a page, which contains its count and its checkpoint. */
const TAIL_BYTES = 512
const COUNT = /"count":(\d+)/
const CHECKPOINT = /"next_since":"([^"]+)"/

/** The last bytes of a body that comes in pieces. */
class Tail {
  readonly #bytes = Buffer.alloc(TAIL_BYTES)

  take(chunk: Buffer, from: number, to: number): void {
    const size = Math.min(TAIL_BYTES, to - from)
    this.#bytes.copyWithin(0, size)
    chunk.copy(this.#bytes, TAIL_BYTES - size, to - size, to)
  }

  get text(): string {
    return this.#bytes.toString('latin1')
  }
}

/** Reads `pages` pages one after the other, each from the checkpoint of the one before. */
function readPages(
  plan: WalkPlan,
  { since, pages }: WalkPlan['readers'][number],
): Promise<WalkResult['readers'][number] & { events: number }> {
  const seen = { times: [] as number[], checkpoints: [] as string[], events: 0 }
  return new Promise((resolve, reject) => {
    const tail = new Tail()
    let checkpoint = since
    let sentAt = 0
    const connection: HttpConnection = new HttpConnection(plan.port, {
      body: (chunk, from, to) => tail.take(chunk, from, to),
      answered: status => {
        seen.times.push(performance.now() - sentAt)
        const { text } = tail
        const next = CHECKPOINT.exec(text)?.[1]
        if (status !== 200 || next === undefined) {
          reject(new Error(`A page was answered with ${status}: ${text}`))
          return
        }
        seen.events += Number(COUNT.exec(text)?.[1] ?? 0)
        seen.checkpoints.push(next)
        checkpoint = next
        readNext()
      },
      failed: reject,
    })
    const readNext = () => {
      if (seen.times.length === pages) {
        connection.close()
        resolve(seen)
        return
      }
      const path = `/api/events?since=${encodeURIComponent(checkpoint)}&limit=${plan.limit}`
      sentAt = performance.now()
      connection.send(get(`127.0.0.1:${plan.port}`, path))
    }
    readNext()
  })
}

const plan = JSON.parse(process.argv[2] ?? '') as WalkPlan
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()
const startedAt = performance.now()
const seen = await Promise.all(plan.readers.map(reader => readPages(plan, reader)))
const seconds = (performance.now() - startedAt) / 1_000
const result: WalkResult = {
  events: seen.reduce((sum, reader) => sum + reader.events, 0),
  seconds,
  readers: seen.map(({ times, checkpoints }) => ({ times, checkpoints })),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
