import { resolve } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { HOME, memorySources, SHARED } from './memory-sources.js'
import { problemsOf } from './refusal.js'

t.test('the database path is the first one given, in the specified order', async t => {
  const given = fc.record({
    flag: fc.boolean(),
    process: fc.boolean(),
    sharedDb: fc.boolean(),
    homeDir: fc.boolean(),
    archHome: fc.boolean(),
  })
  fc.assert(
    fc.property(given, has => {
      const sources = memorySources({
        env: { ...(has.process ? { EVENT_DB: '/process.db' } : {}), ...(has.archHome ? { ARCH_HOME: '/arch' } : {}) },
        files: {
          [SHARED]: `${has.sharedDb ? 'EVENT_DB=/shared.db\n' : ''}${has.homeDir ? 'home_dir=/shared-home\n' : ''}`,
        },
      })
      const { database, home } = readLocalSettings({ db: has.flag ? '/flag.db' : undefined }, sources)
      const expectedHome = has.homeDir ? '/shared-home' : has.archHome ? '/arch' : `${HOME}/.arch`
      const named = has.flag ? '/flag.db' : has.process ? '/process.db' : has.sharedDb ? '/shared.db' : undefined
      t.equal(home, expectedHome)
      t.same(database, {
        path: named ?? `${expectedHome}/event/events.db`,
        isDefault: named === undefined,
        legacyPath: `${expectedHome}/events.db`,
      })
    }),
  )
})

t.test('paths may be relative to the home folder or to the current one', async t => {
  const pathOf = (db: string) => readLocalSettings({ db }, memorySources()).database.path
  t.equal(pathOf('~/ledger.db'), `${HOME}/ledger.db`)
  t.equal(pathOf('ledger.db'), resolve('ledger.db'))
  t.equal(pathOf('/a/../ledger.db'), '/ledger.db')
  t.equal(readLocalSettings({}, memorySources({ files: { [SHARED]: 'home_dir=~/books' } })).home, `${HOME}/books`)
})

const refused = [
  { db: 'postgres://ada:secret-word@db/ledger', expected: /has a password, which every user of this machine can see/ },
  { db: 'postgresql:///ledger', expected: /names no user/ },
  { db: 'https://example.org/events.db', expected: /is neither the path of a file nor an address/ },
  { db: 'file:events.db', expected: /is neither the path of a file nor an address/ },
  { db: ' postgres://ada:secret-word@db/ledger', expected: /is neither the path of a file nor an address/ },
  { db: '"postgres://ada:secret-word@db/ledger"', expected: /without a blank or a quote before it/ },
  { db: 'mysql://ada:secret-word@db/ledger', expected: /is neither the path of a file nor an address/ },
  { db: 'host=db password=secret-word', expected: /is neither the path of a file nor an address/ },
  { db: ':memory:', expected: /is neither the path of a file nor an address/ },
  { db: '', expected: /is empty/ },
]
for (const { db, expected } of refused) {
  t.test(`a database named "${db}" is refused`, async t => {
    const [problem, ...others] = problemsOf(() => readLocalSettings({ db }, memorySources()))
    t.same(others, [])
    t.match(problem, { field: '--db', detail: expected })
    t.notMatch(problem?.detail, /secret-word/)
  })
}

t.test('a home folder that is not absolute is refused', async t => {
  const byVariable = () => readLocalSettings({}, memorySources({ env: { ARCH_HOME: 'arch' } }))
  t.match(problemsOf(byVariable), [{ field: 'ARCH_HOME', detail: 'ARCH_HOME "arch" is not an absolute path.' }])
  const byFile = () => readLocalSettings({}, memorySources({ files: { [SHARED]: 'home_dir=./x' } }))
  t.match(problemsOf(byFile), [{ field: 'home_dir', detail: `home_dir "./x" (in ${SHARED}) is not an absolute path.` }])
})
