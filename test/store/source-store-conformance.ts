import type { Test } from 'tap'
import type { SourceDefinition } from '../../src/model/sources/source-definition.js'
import type { OpenStore } from './event-store-conformance.js'

const NOW = '2031-05-04T09:00:00.000000Z'
const LATER = '2031-05-04T10:00:00.000000Z'

function definition(name: string, description = 'One'): SourceDefinition {
  return { name, description, proof: { type: 'none' }, rules: [] }
}

/** Tests of sources of operators for every engine. */
export function sourceStoreConformance(t: Test, open: OpenStore): void {
  t.test('a source is created once and then replaced, and keeps its secrets unless others are sent', async t => {
    const { sources } = await open(t)
    const created = await sources.save({ definition: definition('builds'), secrets: ['one', 'two'], now: NOW }, 10)
    t.match(created, { created: true, source: { secret_count: 2, created_at: NOW, updated_at: NOW } })
    t.notMatch(JSON.stringify(created), 'two')
    const replaced = await sources.save({ definition: definition('builds', 'Two'), now: LATER }, 10)
    t.match(replaced, { created: false, source: { secret_count: 2, created_at: NOW, updated_at: LATER } })
    t.strictSame(await sources.find('builds'), {
      definition: definition('builds', 'Two'),
      secrets: ['one', 'two'],
      created_at: NOW,
      updated_at: LATER,
    })
    await sources.save({ definition: definition('builds'), secrets: [], now: LATER }, 10)
    t.match(await sources.find('builds'), { secrets: { length: 0 } })
  })

  t.test('the list is ordered by name and contains no secret', async t => {
    const { sources } = await open(t)
    for (const name of ['b', 'a']) {
      await sources.save({ definition: definition(name), secrets: ['hidden-one'], now: NOW }, 10)
    }
    const list = await sources.list()
    t.match(list, [{ definition: { name: 'a' }, secret_count: 1 }, { definition: { name: 'b' } }])
    t.notMatch(JSON.stringify(list), 'hidden')
  })

  t.test('a deleted source is gone with its secrets', async t => {
    const { sources } = await open(t)
    await sources.save({ definition: definition('builds'), secrets: ['one'], now: NOW }, 10)
    t.equal(await sources.delete('builds'), true)
    t.equal(await sources.delete('builds'), false)
    t.equal(await sources.delete('with\0nul'), false)
    t.equal(await sources.find('builds'), undefined)
    await sources.save({ definition: definition('builds'), now: NOW }, 10)
    t.match(await sources.find('builds'), { secrets: { length: 0 } })
  })

  t.test('the number of sources is limited, and existing ones can be replaced', async t => {
    const { sources } = await open(t)
    const save = (name: string) => sources.save({ definition: definition(name), now: NOW }, 2)
    await save('a')
    await save('b')
    await t.rejects(save('c'), { category: 'conflict', code: 'too_many_sources' })
    t.match(await save('a'), { created: false })
  })
}
