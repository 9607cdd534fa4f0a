import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readEvent } from '../../../src/ledger/read-event.js'
import { compileDefinedAdapter, readSourceDefinition } from '../../../src/platforms/defined/adapter.js'
import { PRESETS } from '../../../src/platforms/defined/presets/presets.js'

const SAMPLES = fileURLToPath(new URL('../../../../test/platforms/defined/samples', import.meta.url))

interface Sample {
  headers: Record<string, string>
  body: unknown
  answer?: Record<string, string>
  becomes: {
    kind: string
    dedupe_key?: string
    outcome?: string
    subject?: string
    actor?: string
    target: string
    parent?: string
    time: string | null
  }[]
}

t.test('every preset has samples', async t => {
  const names = readdirSync(SAMPLES).flatMap(file => (file.endsWith('.json') ? file.slice(0, -5) : []))
  t.same(names.sort(), [...PRESETS.keys()].sort())
})

for (const [name, preset] of PRESETS) {
  t.test(`deliveries of ${name} become the events of its preset`, async t => {
    const adapter = compileDefinedAdapter(readSourceDefinition({ name: 's', ...preset }))
    const samples: Sample[] = JSON.parse(readFileSync(join(SAMPLES, `${name}.json`), 'utf8'))
    for (const { headers, body, answer, becomes } of samples) {
      const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
      const taken = adapter.normalise({ headers, body: bytes }, {})
      t.same(taken.answer, answer)
      const found = taken.events.map(({ kind, dedupe_key, subject_id, action, actor, target, occurred_at }) => {
        const identity = { kind, dedupe_key, subject: subject_id, outcome: action.outcome, actor: actor.id }
        return { ...identity, target: target.key, parent: target.parent?.key, time: occurred_at }
      })
      t.strictSame(
        found.map((event, index) => ({ ...event, ...becomes[index] })),
        found,
      )
      t.equal(found.length, becomes.length)
      for (const event of taken.events) t.strictSame(readEvent(event), event, 'the ledger accepts it as it is')
      t.notMatch(JSON.stringify(taken.events), /a-verification-token|a-token/, 'it has no secret')
    }
  })
}
