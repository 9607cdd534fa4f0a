import fc from 'fast-check'
import t from 'tap'
import { readTrace } from '../../../src/server/logging/request-trace.js'
import { anyCharacter } from '../../support/any-character.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

t.test('a valid traceparent gives the ids of the trace and of the sender’s span', async t => {
  const ids = { trace_id: TRACE, parent_id: PARENT }
  t.same(readTrace({ traceparent: `00-${TRACE}-${PARENT}-01` }), ids)
  t.same(readTrace({ traceparent: `01-${TRACE}-${PARENT}-00` }), ids, 'a later version')
  t.same(readTrace({ traceparent: `cc-${TRACE}-${PARENT}-00-what-it-adds` }), ids, 'a later version with more members')
})

t.test('any other traceparent counts as absent', async t => {
  const wrong = [
    '',
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-01-`,
    `00-${TRACE}-${PARENT}-01-more`,
    `cc-${TRACE}-${PARENT}-01.more`,
    `ff-${TRACE}-${PARENT}-01`,
    `0-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}g-01`,
    ` 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01\n`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
    `cc-${TRACE}-${PARENT}-01-${'x'.repeat(200)}`,
  ]
  for (const traceparent of wrong) t.same(readTrace({ traceparent }), {}, JSON.stringify(traceparent))
})

t.test('an X-Request-Id of allowed characters is kept, and no other', async t => {
  for (const id of [
    'deploy-7',
    'a'.repeat(128),
    '0198c2a5-7b1e-7000-8000-0123456789ab',
    'Root=1-67891233-abc/x+y=@z:1_2.3',
  ]) {
    t.same(readTrace({ 'x-request-id': id }), { client_request_id: id })
  }
  for (const id of ['', 'a'.repeat(129), 'a b', 'a"b', 'a\u001b[31m', 'é', 'one, two', 'a;b', '{x}']) {
    t.same(readTrace({ 'x-request-id': id }), {}, JSON.stringify(id))
  }
})

t.test('no kept id contains a line end or a quote', async () => {
  const near = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc
      .tuple(
        fc.constantFrom('00', '01', 'ff'),
        fc.stringMatching(/^[0-9a-f]{32}$/),
        fc.stringMatching(/^[0-9a-f]{16}$/),
        fc.string(),
      )
      .map(([version, trace, parent, end]) => `${version}-${trace}-${parent}-01${end}`),
  )
  fc.assert(
    fc.property(near, near, (traceparent, id) => {
      for (const value of Object.values(readTrace({ traceparent, 'x-request-id': id }))) {
        if (!/^[\w.:/+=@-]{1,128}$/.test(value)) return false
      }
      return true
    }),
  )
})
