import fc from 'fast-check'
import t from 'tap'
import { Answer } from '../../src/client/answer.js'
import { recordLines, toLineBatches } from '../../src/client/record-lines.js'
import { AppError } from '../../src/model/app-error.js'

async function* pieces(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    yield bytes.subarray(start, start + size)
    start += size
  }
}

t.test('lines are grouped into batches within the limits, complete, in order, and with their numbers', async t => {
  const line = fc.oneof(fc.constantFrom('', ' ', '\r'), fc.stringMatching(/^[a-zä]{1,12}$/))
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 })
  const limits = fc.record({ events: fc.integer({ min: 1, max: 5 }), bytes: fc.integer({ min: 30, max: 60 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), sizes, limits, async (lines, sizes, limits) => {
      const found: { number: number; text: string }[] = []
      for await (const { body, lines: numbers } of toLineBatches(pieces(lines.join('\n'), sizes), limits)) {
        const texts = body.toString('utf8').split('\n').slice(0, -1)
        t.ok(body.length <= limits.bytes && numbers.length <= limits.events && numbers.length > 0)
        t.equal(texts.length, numbers.length)
        for (const [i, text] of texts.entries()) found.push({ number: numbers[i] ?? 0, text })
      }
      const expected = lines.map((text, i) => ({ number: i + 1, text })).filter(({ text }) => text.trim() !== '')
      t.same(found, expected)
    }),
  )
})

t.test('a line that is too large is refused by its number, after the previous lines', async t => {
  const batches = toLineBatches(pieces(`a\nb\n${'x'.repeat(50)}\nc\n`, [7]), { events: 1, bytes: 20 })
  t.match(await batches.next(), { value: { lines: [1] } })
  await t.rejects(
    async () => {
      for await (const batch of batches) t.same(batch.lines, [2])
    },
    { code: 'body_too_large', message: 'Line 3 is larger than a ledger accepts.' },
  )
})

function answering(counts: Record<string, unknown>): Answer {
  return new Answer(200, Buffer.from(JSON.stringify(counts)))
}

t.test('batches are recorded one after the other, and counted', async t => {
  const sent: string[] = []
  const client = {
    record: async (body: string | Uint8Array, type: string) => {
      sent.push(`${type} ${Buffer.from(body).toString('utf8')}`)
      return answering({ created: 1, duplicates: sent.length - 1 })
    },
  }
  const batches = recordLines(client, pieces('1\n2\n3', [2]), { events: 2, bytes: 100 })
  t.match(await batches.next(), { value: { events: 2, created: 1, duplicates: 0 } })
  t.match(await batches.next(), { value: { events: 1, created: 1, duplicates: 1 } })
  t.match(await batches.next(), { done: true })
  t.same(sent, ['application/x-ndjson 1\n2\n', 'application/x-ndjson 3\n'])
})

t.test('an answer without counts is an error', async t => {
  const client = { record: async () => answering({ created: 1 }) }
  await t.rejects(recordLines(client, pieces('1\n', [2])).next(), { code: 'not_a_ledger' })
})

t.test('a refusal names the lines of the input, and the recorded ones', async t => {
  const errors = [
    { field: '/0/kind', detail: '/kind is missing.' },
    { field: '/1', detail: 'It is not JSON.' },
    { field: '/9', detail: 'No such line.' },
  ]
  let batches = 0
  const client = {
    record: async () => {
      batches += 1
      if (batches === 2) throw new AppError('invalid', 'invalid_field', 'Event 0: /kind is missing.', { errors })
      return answering({ created: 2, duplicates: 0 })
    },
  }
  const recording = recordLines(client, pieces('1\n\n2\n\n3\n4\n', [3]), { events: 2, bytes: 100 })
  await recording.next()
  await t.rejects(recording.next(), {
    category: 'invalid',
    code: 'invalid_field',
    message: 'Lines 5 to 6 are not recorded: some are refused. Lines 1 to 3 are recorded.',
    errors: [
      { field: 'line 5 /kind', detail: '/kind is missing.' },
      { field: 'line 6', detail: 'It is not JSON.' },
      { field: '/9', detail: 'No such line.' },
    ],
  })
})

t.test('after the server ended, the error gives the recorded lines', async t => {
  let batches = 0
  const client = {
    record: async () => {
      batches += 1
      if (batches === 2) throw new AppError('unavailable', 'connection_lost', 'It broke.', { retryAfterSeconds: 3 })
      return answering({ created: 1, duplicates: 0 })
    },
  }
  const recording = recordLines(client, pieces('1\n2\n', [9]), { events: 1, bytes: 100 })
  await recording.next()
  await t.rejects(recording.next(), {
    code: 'connection_lost',
    message: 'Line 2 is not recorded. It broke. Line 1 is recorded.',
    retryAfterSeconds: 3,
  })
})

t.test('a defect is rethrown unchanged', async t => {
  const client = { record: () => Promise.reject(new TypeError('a defect')) }
  await t.rejects(recordLines(client, pieces('1\n', [9])).next(), TypeError)
})
