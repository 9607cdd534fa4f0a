import t from 'tap'
import { cacheFolder } from '../../src/settings/reading/paths.js'
import { readTerminalSettings } from '../../src/settings/terminal-settings.js'

t.test('colour is for terminals that can, and for people who want it', async t => {
  t.equal(readTerminalSettings({ env: { TERM: 'xterm' } }).colour, true)
  t.equal(readTerminalSettings({ env: { TERM: 'xterm', NO_COLOR: '1' } }).colour, false)
  t.equal(readTerminalSettings({ env: { TERM: 'xterm', NO_COLOR: '' } }).colour, true)
  t.equal(readTerminalSettings({ env: { TERM: 'dumb' } }).colour, false)
})

t.test('stacks are shown to who asks for that much of the log', async t => {
  t.equal(readTerminalSettings({ env: {} }).stacks, false)
  t.equal(readTerminalSettings({ env: { EVENT_LOG_LEVEL: 'debug' } }).stacks, true)
  t.equal(readTerminalSettings({ env: { EVENT_LOG_LEVEL: 'trace' } }).stacks, true)
})

t.test('what can be made again is kept in the cache folder of the user', async t => {
  t.equal(cacheFolder({ env: {}, homedir: '/home/ada' }), '/home/ada/.cache/daybook')
  t.equal(cacheFolder({ env: { XDG_CACHE_HOME: '/cache' }, homedir: '/home/ada' }), '/cache/daybook')
  t.equal(cacheFolder({ env: { XDG_CACHE_HOME: 'cache' }, homedir: '/home/ada' }), '/home/ada/.cache/daybook')
})
