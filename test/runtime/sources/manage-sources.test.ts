import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { testSource } from '../../../src/platforms/defined/test-source.js'
import { judgeSources } from '../../../src/runtime/doctor/defined-sources.js'
import { serve } from '../../../src/runtime/serve/serve.js'
import { manageSources } from '../../../src/runtime/sources/manage-sources.js'
import { feedNamed, presetNamed, readDefinition } from '../../../src/runtime/sources/presets.js'
import { readUsersSettings } from '../../../src/settings/local-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { problem } from '../../client/stand-in.js'
import { memorySources } from '../../settings/memory-sources.js'
import { rss, serveFeeds } from '../../support/feed-server.js'
import { broken, standInOwner } from '../stand-in-owner.js'

async function startServer(t: Test, folder: string): Promise<void> {
  const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent' } })
  const settings = readServeSettings({ only: 'ledger', db: join(folder, 'events.db'), port: '0' }, sources)
  const running = await serve(settings, sources)
  t.teardown(() => running.close())
}

for (const hasServer of [false, true]) {
  t.test(`sources are managed ${hasServer ? 'through the server' : 'in the file'}`, async t => {
    const folder = ownFolder(t)
    const settings = readUsersSettings({ db: join(folder, 'events.db') }, memorySources({ env: {} }))
    if (hasServer) await startServer(t, folder)
    const definition = presetNamed('stripe', 'payments')
    const added = await manageSources(settings, own => own.save('payments', { definition, secrets: ['whsec_1'] }), {
      mayBeNew: true,
    })
    t.match(added, { created: true, source: { accepts: true, secret_count: 1, webhook_path: '/webhooks/in/payments' } })
    t.match(await manageSources(settings, own => own.list()), [{ definition: { name: 'payments' } }])
    t.strictSame((await manageSources(settings, own => own.get('payments'))).definition, definition)
    t.same(await manageSources(settings, own => own.remap('payments')), { created: 0, duplicates: 0, unmapped: 0 })
    await manageSources(settings, own => own.delete('payments'))
    const missing = manageSources(settings, own => own.get('payments'))
    await t.rejects(missing, { category: 'not_found', code: 'not_found' })
  })
}

for (const hasServer of [false, true]) {
  t.test(
    `a feed is read ${hasServer ? 'through the server' : 'in the file'}, and the ledger stores the result`,
    async t => {
      const folder = ownFolder(t)
      const settings = readUsersSettings({ db: join(folder, 'events.db') }, memorySources({ env: {} }))
      const { answers, url } = await serveFeeds(t)
      if (hasServer) await startServer(t, folder)
      const definition = feedNamed(url('/news'), 'news')
      await manageSources(settings, own => own.save('news', { definition }), { mayBeNew: true })
      const failed = manageSources(settings, own => own.readFeed('news'))
      await t.rejects(failed, { category: 'not_found', code: 'platform_place_unknown', message: /no such feed/ })
      const found = judgeSources(await manageSources(settings, own => own.list()))
      t.match(found[0], { state: 'warn', detail: /^The feed news could not be read/ })
      answers.set('/news', { body: rss('2', '1') })
      const read = () => manageSources(settings, own => own.readFeed('news'))
      const { created, known, unchanged } = await read()
      t.ok(unchanged || created + known === 2, 'the server may have read it on its own')
      t.match(await read(), { created: 0, unchanged: true })
    },
  )
}

t.test('a change of a source with an unknown outcome is not repeated', async t => {
  const database = join(ownFolder(t), 'events.db')
  writeFileSync(database, 'x')
  const { arrived } = await standInOwner(t, database, ({ method }) =>
    arrived.filter(request => request.method === method).length === 1 ? broken : problem(404, 'not_found'),
  )
  const settings = readUsersSettings({ db: database }, memorySources({ env: {} }))
  const lost = { category: 'unavailable', code: 'outcome_unknown' }
  await t.rejects(
    manageSources(settings, own => own.delete('payments')),
    lost,
  )
  await t.rejects(
    manageSources(settings, own => own.save('payments', {})),
    lost,
  )
  t.same(
    arrived.map(({ method }) => method),
    ['DELETE', 'PUT'],
  )
  await t.rejects(
    manageSources(settings, own => own.list()),
    { code: 'not_found' },
    'a read is repeated',
  )
})

t.test('the doctor names the sources that accept no deliveries', async t => {
  const settings = readUsersSettings({ db: join(ownFolder(t), 'events.db') }, memorySources({ env: {} }))
  const found = await manageSources(
    settings,
    async own => {
      await own.save('payments', { definition: presetNamed('stripe', 'payments') })
      await own.save('open', { definition: readDefinition({ proof: { type: 'none' }, rules: [] }, 'open') })
      return judgeSources(await own.list())
    },
    { mayBeNew: true },
  )
  t.match(found, [
    { state: 'warn', detail: /source payments accepts nothing/ },
    { state: 'ok', detail: 'Sources of operators: 2. Deliveries to 1 of them are not verified.' },
  ])
  t.same(judgeSources([]), [])
})

t.test('a saved delivery is tested with its headers, or as only a body', async t => {
  const rules = [{ when: [{ at: 'header:x-event', is: 'build' }], kind: 'build.done', subject_id: '{/id}' }]
  const definition = readDefinition({ proof: { type: 'none' }, rules }, 'builds')
  const whole = Buffer.from('{"headers":{"X-Event":"build"},"body":{"id":7}}')
  t.match(testSource(definition, whole, {}), { events: [{ kind: 'build.done', subject_id: '7' }], ignored: 0 })
  const body = Buffer.from('{"id":7}')
  t.match(testSource(definition, body, { 'x-event': 'build' }), { events: [{ kind: 'build.done' }] })
  t.match(testSource(definition, body, {}), { events: [{ kind: 'delivery.unmapped' }] })
})

t.test('a test of a delivery names the values without a result', async t => {
  const rules = [
    {
      when: [{ at: './id', exists: true }],
      kind: 'build.done',
      subject_id: '{./id}',
      text: '{./txt}',
      time: ['{./at}', '{/at}'],
      key: '{./id}',
      actor: { id: '{./by}' },
      target: [{ type: 'build', id: '{./id}', url: '{./link}' }],
    },
  ]
  const definition = readDefinition({ proof: { type: 'none' }, each: '/list', rules }, 'builds')
  const body = Buffer.from(
    '{"at":"never","list":[{"id":1,"text":"x"},{"id":2,"txt":"y","at":1763640000,"by":"a","link":"l"},{}]}',
  )
  const without = ['/rules/0/actor/id', '/rules/0/text', '/rules/0/time', '/rules/0/target/0/url']
  const { without_result: found } = testSource(definition, body, {})
  t.same(
    found?.map(places => places.sort()),
    [without.sort(), [], []],
  )
})

t.test('an unknown preset, and a definition with another name, are refused', async t => {
  t.throws(() => presetNamed('fax', 'x'), { code: 'wrong_usage', message: /alertmanager/ })
  t.throws(() => readDefinition({ name: 'a', proof: { type: 'none' }, rules: [] }, 'b'), { code: 'invalid_field' })
})
