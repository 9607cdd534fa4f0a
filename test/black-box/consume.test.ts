import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { startDaybook } from '../commands/run-daybook.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'
import { testedStores } from './tested-stores.js'

const EVENTS = 240
const SUBJECTS = 12

function eventsFrom(first: number): string {
  const lines = Array.from({ length: EVENTS / 2 }, (_, at) => {
    const number = first + at
    const common = { source: 'demo', kind: 'a.b', subject_type: 'x', subject_id: String(number % SUBJECTS) }
    return JSON.stringify({ ...common, dedupe_key: `key-${number}` })
  })
  return lines.join('\n')
}

for (const { name, newDatabase } of await testedStores(t)) {
  t.test(
    `a consumer that is killed, and whose server is killed, misses nothing and keeps the order: ${name}`,
    async t => {
      const folder = ownFolder(t)
      const database = await newDatabase(t)
      let server = await startServer(t, { home: folder, database })
      const port = Number(new URL(server.url).port)
      const post = (lines: string) => server.http.post('/api/events', lines, { type: 'application/x-ndjson' })
      const out = join(folder, 'done.txt')
      const exec = `cat >> '${out}'`
      const start = () => {
        const argv = ['consume', 'work', '--exec', exec, '--concurrency', '3', '--from', 'beginning']
        return startDaybook(t, [...argv, '--api-url', server.url])
      }
      const done = () => (existsSync(out) ? readFileSync(out, 'utf8').split('\n').filter(Boolean) : [])
      const until = async (isSo: () => boolean) => {
        while (!isSo()) await setTimeout(25)
      }
      await post(eventsFrom(0))
      const first = start()
      await until(() => done().length > 40)
      first.child.kill('SIGKILL')
      await first.ended
      const second = start()
      const third = start()
      await server.kill()
      server = await startServer(t, { home: folder, database, port })
      await post(eventsFrom(EVENTS / 2))
      await until(() => new Set(done()).size === EVENTS)
      for (const { child } of [second, third]) child.kill('SIGTERM')
      t.same([(await second.ended).code, (await third.ended).code], [0, 0])
      const events = done().map(line => JSON.parse(line) as { dedupe_key: string; subject_id: string })
      const numbers = [...new Set(events.map(({ dedupe_key }) => Number(dedupe_key.slice(4))))]
      for (let subject = 0; subject < SUBJECTS; subject++) {
        const own = numbers.filter(number => number % SUBJECTS === subject)
        t.same(
          own,
          [...own].sort((left, right) => left - right),
          `subject ${subject}`,
        )
      }
      t.ok(events.length - EVENTS <= 120, `only what was not acknowledged came again: ${events.length - EVENTS}`)
      const consumer = (await server.http.get('/api/consumers/work')).json<{ lag: { events: number } }>()
      t.equal(consumer.lag.events, 0)
    },
  )
}
