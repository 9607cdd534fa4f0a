import fc from 'fast-check'
import t from 'tap'
import { SharedReads } from '../../src/ledger/shared-reads.js'
import type { EventPage, EventQuery } from '../../src/model/events/event-query.js'

const QUERY: EventQuery = { order: 'asc', limit: 100, since: 1 }

/** Reads that end when the test ends them; each page has the head at which its read began. */
function startReads() {
  const ledger = { head: 0 }
  const open: (() => void)[] = []
  const reads = new SharedReads(async query => {
    const { head } = ledger
    await new Promise<void>(resolve => open.push(resolve))
    return { head, nextSince: query.since ?? null, items: new Uint8Array() } as EventPage
  })
  return { ledger, open, reads }
}

t.test('concurrent requests for the same page take two reads', async t => {
  const { open, reads } = startReads()
  const pages = Array.from({ length: 100 }, () => reads.query(QUERY))
  t.equal(open.length, 1)
  open[0]?.()
  await pages[0]
  await Promise.resolve()
  t.equal(open.length, 2)
  open[1]?.()
  await Promise.all(pages)
  t.equal(open.length, 2)
})

t.test('a shared page has every event stored before its request, and belongs to its own query', async t => {
  const step = fc.oneof(fc.constant('event'), fc.constant('end of a read'), fc.nat(2))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { ledger, open, reads } = startReads()
      const asked: Promise<void>[] = []
      const wrong: string[] = []
      for (const what of steps) {
        if (what === 'event') ledger.head++
        else if (what === 'end of a read') open.shift()?.()
        else {
          const { head } = ledger
          const since = Number(what)
          asked.push(
            reads.query({ ...QUERY, since }).then(page => {
              if (Number(page.head) < head || page.nextSince !== since) wrong.push(`asked for ${since} at ${head}`)
            }),
          )
        }
        await new Promise(setImmediate)
      }
      const all = Promise.all(asked)
      while (open.length > 0) {
        open.shift()?.()
        await new Promise(setImmediate)
      }
      await all
      t.same(wrong, [])
    }),
  )
})

t.test('a reader that leaves is released immediately, and the other readers get their page', async t => {
  const { open, reads } = startReads()
  const gone = new AbortController()
  const [leaving, staying] = [reads.query(QUERY, gone.signal), reads.query(QUERY)]
  gone.abort(new Error('gone'))
  await t.rejects(leaving, { message: 'gone' })
  open[0]?.()
  await new Promise(setImmediate)
  open[1]?.()
  t.match(await staying, { head: 0 })
})

t.test('a failed read fails for its sharers only, and the next read is tried', async t => {
  let reads = 0
  const shared = new SharedReads(async () => {
    reads++
    if (reads <= 2) throw new Error(`read ${reads}`)
    return { head: 7 } as EventPage
  })
  const first = await Promise.allSettled([shared.query(QUERY), shared.query(QUERY), shared.query(QUERY)])
  t.match(first, [
    { reason: { message: 'read 1' } },
    { reason: { message: 'read 2' } },
    { reason: { message: 'read 2' } },
  ])
  t.match(await shared.query(QUERY), { head: 7 })
})
