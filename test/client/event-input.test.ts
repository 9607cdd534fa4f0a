import fc from 'fast-check'
import t from 'tap'
import { readEventInput } from '../../src/client/event-input.js'
import { EVENT_LIMITS } from '../../src/model/events/event-limits.js'

/** A text in chunks, like the output of a pipe. */
async function* inPieces(text: string | Buffer, sizes: readonly number[] = [16]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 16
    yield bytes.subarray(start, start + size)
    start += size
  }
}

async function kindOf(text: string | Buffer, sizes?: readonly number[]): Promise<{ kind: string; text: string }> {
  const input = await readEventInput(inPieces(text, sizes))
  if (input.kind === 'document') return { kind: input.kind, text: input.json.toString('utf8') }
  const chunks: Uint8Array[] = []
  for await (const chunk of input.chunks) chunks.push(chunk)
  return { kind: input.kind, text: Buffer.concat(chunks).toString('utf8') }
}

const inputs = [
  { name: 'one object', text: '{"kind":"a"}', kind: 'document' },
  { name: 'one object and a line feed', text: '{"kind":"a"}\n', kind: 'document' },
  { name: 'one object among blank lines', text: '\n \n{"kind":"a"}\r\n\n\t\n', kind: 'document' },
  { name: 'an indented object', text: '{\n  "kind": "a"\n}\n', kind: 'document' },
  { name: 'an array', text: '[{"kind":"a"},{"kind":"b"}]', kind: 'document' },
  { name: 'an indented array', text: '[\n{"kind":"a"},\n{"kind":"b"}\n]', kind: 'document' },
  { name: 'two lines', text: '{"kind":"a"}\n{"kind":"b"}', kind: 'lines' },
  { name: 'two lines with blank ones', text: '\n{"kind":"a"}\r\n\r\n{"kind":"b"}\r\n', kind: 'lines' },
  { name: 'a valid line and an invalid one', text: '{"kind":"a"}\n{"kind"', kind: 'lines' },
  { name: 'lines after a byte order mark', text: '\ufeff{"kind":"a"}\n{"kind":"b"}\n', kind: 'lines' },
  { name: 'text that is not JSON', text: 'kind: a\nother: b\n', kind: 'document' },
]
for (const { name, text, kind } of inputs) {
  t.test(`${name}: ${kind}, complete, in chunks of any size`, async t => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }), async sizes => {
        t.same(await kindOf(text, sizes), { kind, text })
      }),
      { numRuns: 20 },
    )
  })
}

for (const text of ['', ' \n\r\n\t']) {
  t.test(`empty input (${JSON.stringify(text)}) is refused`, async t => {
    await t.rejects(kindOf(text), { category: 'invalid', code: 'invalid_json', message: /is empty/ })
  })
}

t.test('input larger than a request is refused, unless it consists of lines', async t => {
  const large = Buffer.alloc(EVENT_LIMITS.batchBytes + 1, ' ')
  const chunk = [1024 * 1024]
  large.write('{\n')
  await t.rejects(kindOf(large, chunk), { category: 'too_large', code: 'body_too_large' })
  large.write('[1')
  await t.rejects(kindOf(large, chunk), { code: 'body_too_large' })
  large.fill(0x78)
  await t.rejects(kindOf(large, chunk), { code: 'body_too_large' })
  large.write('{}\n{}\n')
  t.equal((await kindOf(large, chunk)).kind, 'lines')
})

t.test('input of lines is recognised from its beginning', async t => {
  let read = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1
      yield Buffer.from('{"kind":"a"}\n')
    }
  }
  const input = await readEventInput(endless())
  t.equal(input.kind, 'lines')
  t.equal(read, 2)
})
