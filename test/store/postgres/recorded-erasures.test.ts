import t from 'tap'
import { toErasureEntry } from '../../../src/model/events/erasure.js'
import { toTimestamp } from '../../../src/model/timestamp.js'
import type { Connection } from '../../../src/store/postgres/connection/connection.js'
import { RecordedErasures } from '../../../src/store/postgres/read/recorded-erasures.js'

const NOON = 1_800_000_000_000_000

t.test('a verification accepts an event that retention removes during it', async t => {
  const payload = { reason: 'old', by: 'retention', count: 1, through: toTimestamp(NOON) }
  const { event, provenance } = toErasureEntry('1', payload)
  const pruning = { through_us: NOON, event: JSON.stringify({ ...event, provenance }) }
  /** The answers of the database, in order: before the removal, and after it. */
  const answers = [[], [pruning]]
  const connection = { run: async () => answers.shift() ?? [] } as unknown as Connection
  const row = { captured_us: NOON, content_digest: 'aa', body: '', tail: '{}' }
  t.equal(await new RecordedErasures(connection).check(row), undefined)
  t.same(answers, [])
  t.match(await new RecordedErasures(connection).check(row), /no event of the ledger records that/)
})
