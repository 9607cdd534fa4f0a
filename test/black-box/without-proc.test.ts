import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { filesBeside, ownFolder } from './own-folder.js'
import { refusedStart, startServer, startStatus } from './running-server.js'

const WITHOUT_PROC = fileURLToPath(new URL('./programs/without-proc.js', import.meta.url))

t.test('without /proc a ledger has one owner, is taken over after a kill, and is released', async t => {
  const database = join(ownFolder(t), 'events.db')
  const options = { database, preload: WITHOUT_PROC }
  const server = await startServer(t, options)
  const event = { kind: 'deploy.finished', subject_type: 'deploy', subject_id: '1', source: 'ci' }
  const answer = await fetch(`${server.url}/api/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
  })
  t.equal(answer.status, 201)
  const { started, namespace } = JSON.parse(readFileSync(`${database}.owner`, 'utf8'))
  t.match({ started, namespace }, { started: /[a-z]{3}[a-z]{3}\d+/, namespace: '0' }, 'its start time is from ps')
  t.match(await refusedStart(t, options), { code: 5, error: { code: 'ledger_owned' } })
  const { code, out } = await startStatus(t, options).ended
  t.match({ code, status: JSON.parse(out) }, { code: 0, status: { event_count: 1, server: { pid: server.pid } } })

  await server.kill()
  const next = await startServer(t, options)
  t.match(await (await fetch(`${next.url}/api/stats`)).json(), { event_count: 1 })
  t.match(await next.stop(), { code: 0 })
  t.same(filesBeside(database), [])
})
