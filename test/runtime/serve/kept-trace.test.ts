import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { keepTrace } from '../../../src/runtime/serve/kept-trace.js'
import { testFolder } from '../../support/test-folder.js'

const now = () => 1_800_000_000_000_000

t.test('the trace of deliveries outlives its server, readable by its owner alone', async t => {
  const database = join(testFolder(t), 'events.db')
  const warnings: unknown[] = []
  const logger = { warn: (...said: unknown[]) => warnings.push(said) }
  const first = keepTrace(database, { now, logger })
  first.trace.noteAccepted('forum')
  first.trace.noteRefused('code_a', new AppError('invalid', 'invalid_json', 'The body is not JSON.'), { headers: {} })
  await first.close()
  t.equal(statSync(`${database}.deliveries`).mode & 0o777, 0o600)
  const second = keepTrace(database, { now, logger })
  second.trace.noteAccepted('forum')
  t.match(second.trace.state(), { sources: [{ refused: 1 }, { accepted: 2 }], refused: [{ code: 'invalid_json' }] })
  await second.close()
  t.same(warnings, [])

  const text = readFileSync(`${database}.deliveries`, 'utf8')
  writeFileSync(`${database}.deliveries`, text.slice(0, 20))
  const third = keepTrace(database, { now, logger })
  t.same(third.trace.state().sources, [], 'a damaged file prevents nothing')
  t.equal(warnings.length, 1)
  await third.close()
})
