import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { entry } from './entries.js'
import { HttpClient, NoAnswer } from './http-client.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'
import { readStoredFile } from './stored-file.js'

t.setTimeout(600_000)

interface Harm {
  name: string
  act: (database: string) => void
}

/** Two of those that the store's own tests of lost files have. */
const HARMS: Harm[] = [
  { name: 'truncation of the journal', act: database => truncateSync(`${database}-wal`, 0) },
  {
    name: 'rm of the whole folder',
    act: database => {
      // One step: the server may save what it holds in a folder of that name while the old one is being emptied.
      renameSync(dirname(database), `${dirname(database)}-removed`)
      rmSync(`${dirname(database)}-removed`, { recursive: true })
    },
  },
]

for (const { name, act } of HARMS) {
  t.test(`${name} under load: every acknowledged event is in the file that the server names`, async t => {
    const folder = join(ownFolder(t), 'ledger')
    const database = join(folder, 'events.db')
    const options = { database, home: join(dirname(folder), 'home') }
    mkdirSync(folder)
    const server = await startServer(t, options)
    const answered: string[] = []
    const refusals = new Set<string>()
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const http = new HttpClient(server.url)
      try {
        for (let n = 0; ; n++) {
          const key = `${writer}/${n}`
          const { status, json } = await http.post('/api/events', entry(key))
          if (status === 201) answered.push(key)
          else refusals.add(`${status} ${json<{ code: string }>().code}`)
        }
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
      } finally {
        http.close()
      }
    })
    while (answered.length < 300) await sleep(5)
    act(database)
    const { code, err } = await server.ended
    await Promise.all(writers)
    t.equal(code, 5)
    t.match(err, /the open ledger is not the file on disk/)
    t.match(err, /All that was acknowledged is in .*events\.db\.rescued-/)
    t.same(
      [...refusals].filter(refusal => refusal !== '503 ledger_lost'),
      [],
    )
    // Restarts the server like a supervisor, and then follows the advice of the message.
    const restart = () => serveHere(t, { home: options.home, db: database, only: 'ledger' })
    await t.rejects(restart(), { category: 'conflict', code: 'ledger_remains', message: /rescued-/ })
    const rescued = readdirSync(folder).filter(file => file.startsWith(`${basename(database)}.rescued-`))
    for (const part of ['', '-wal']) rmSync(database + part, { force: true })
    for (const file of rescued) renameSync(join(folder, file), database + (file.endsWith('-wal') ? '-wal' : ''))
    const again = await restart()
    t.match(await (await fetch(`${again.url}/api/health`)).json(), { status: 'ok' })
    await again.close()
    t.notOk(existsSync(`${database}-wal`))
    const { problems, bodies } = readStoredFile(database)
    t.same(problems, [])
    const stored = new Set(bodies.map(body => (JSON.parse(body) as StoredEvent).dedupe_key))
    t.same(
      answered.filter(key => !stored.has(key)),
      [],
      `of ${answered.length} that were answered`,
    )
  })
}
