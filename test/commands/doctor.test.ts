import t from 'tap'
import { runDaybook } from './run-daybook.js'

t.test('the doctor prints every finding, and exits with the code of the worst', async t => {
  const broken = await runDaybook(t, ['doctor'], { env: { EVENT_PORT: 'abc', BOARD_PORT: 'def' } })
  t.match({ code: broken.code, err: broken.err }, { code: 78, err: '' })
  const { state, checks } = JSON.parse(broken.out)
  t.equal(state, 'fail')
  const settings = checks.filter((found: { check: string }) => found.check === 'settings')
  t.match(settings, [
    { state: 'fail', fault: 'configuration', detail: /^EVENT_PORT/ },
    { state: 'fail', fault: 'configuration', detail: /^BOARD_PORT/ },
  ])
  const lines = await runDaybook(t, ['doctor', '-o', 'csv', '--fields', 'check,state'], { env: { EVENT_PORT: 'abc' } })
  t.match(lines.out, /^check,state\r\nnode,[a-z]+\r\nsettings,fail\r\n/)
  const addresses = { EVENT_API_URL: 'http://127.0.0.1:9', BOARD_API_URL: 'http://127.0.0.1:9' }
  t.match(await runDaybook(t, ['doctor', '--db', 'new.db'], { env: addresses }), { code: 69 })
})
