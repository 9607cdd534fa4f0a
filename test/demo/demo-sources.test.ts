import t from 'tap'
import { demoSources, processSources } from '../../src/settings/reading/setting-sources.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'

t.test('a demo reads its address from the environment, and no setting of a real ledger', async t => {
  const home = t.testdir({ demo: {}, real: { event: { 'events.db': '' } } })
  const env = {
    EVENT_DB: `${home}/real/event/events.db`,
    EVENT_HOST: '0.0.0.0',
    EVENT_ADMIN_TOKEN: 'x',
    EVENT_BOOTSTRAP_USERNAME: 'ada',
    EVENT_WEBHOOK_SECRET_FORUM: 'forum-secret-of-the-real-one',
    ARCH_HOME: `${home}/real`,
    ARCH_ENV_FILE: `${home}/real/environment`,
    XDG_CONFIG_HOME: `${home}/real`,
    BOARD_HOME: `${home}/real/board`,
    BOARD_PASSWORD: 'secret',
    EVENT_PORT: '0',
    BOARD_PORT: '0',
  }
  const sources = demoSources({ ...processSources(), env, homedir: `${home}/real` }, `${home}/demo`)
  const { ledger, board } = readServeSettings({ demo: true }, sources)
  t.match(ledger, {
    host: '127.0.0.1',
    port: 0,
    isDemo: true,
    home: `${home}/demo`,
    webhooks: { secrets: { forum: { length: 0 } } },
  })
  t.equal(ledger?.database.path, `${home}/demo/event/events.db`)
  t.match(board, { host: '127.0.0.1', port: 0, isDemo: true, home: `${home}/demo/board`, gate: { isProtected: false } })
  t.notOk(JSON.stringify({ ledger, board }).includes(`${home}/real`))
})
