import t from 'tap'
import { parsedMemory } from '../../../src/platforms/deliveries/json-memory.js'

const memoryOf = (json: string) => parsedMemory(Buffer.from(json))

t.test('the estimate counts more memory for values than for text', async t => {
  const many = JSON.stringify(Array.from({ length: 1_000 }, () => ({})))
  const one = JSON.stringify('{},'.repeat(1_000))
  t.ok(memoryOf(many) > 20 * many.length)
  t.ok(memoryOf(one) < 1.1 * one.length)
})

t.test('the estimate counts the content of a string as text, including quotes and backslashes', async t => {
  t.equal(memoryOf('"\\"{{{{"') - memoryOf('"\\"aaaa"'), 0)
  t.ok(memoryOf('"\\\\",{') > memoryOf('"\\\\,{"'))
})
