import t from 'tap'
import { cacheFolder } from '../../src/settings/reading/paths.js'
import { readTerminalSettings } from '../../src/settings/terminal-settings.js'

t.test('colour is on for terminals that support it, unless the user disables it', async t => {
  const colourOf = (env: Record<string, string>) => readTerminalSettings({ env: { TERM: 'xterm', ...env } }).colour
  t.equal(colourOf({}), 'auto')
  t.equal(colourOf({ NO_COLOR: '1' }), 'never')
  t.equal(colourOf({ NO_COLOR: '' }), 'auto')
  t.equal(colourOf({ TERM: 'dumb' }), 'never')
  t.equal(colourOf({ CLICOLOR_FORCE: '1', TERM: 'dumb' }), 'always')
  t.equal(colourOf({ CLICOLOR_FORCE: '0' }), 'auto')
  t.equal(colourOf({ CLICOLOR_FORCE: '1', NO_COLOR: '1' }), 'never')
})

t.test('the width in a pipe is the value of COLUMNS', async t => {
  t.equal(readTerminalSettings({ env: { COLUMNS: '132' } }).columns, 132)
  for (const COLUMNS of ['', '0', '-1', 'wide', '1e9'])
    t.equal(readTerminalSettings({ env: { COLUMNS } }).columns, undefined)
})

t.test('stacks are shown at the log levels debug and trace', async t => {
  t.equal(readTerminalSettings({ env: {} }).stacks, false)
  t.equal(readTerminalSettings({ env: { EVENT_LOG_LEVEL: 'debug' } }).stacks, true)
  t.equal(readTerminalSettings({ env: { EVENT_LOG_LEVEL: 'trace' } }).stacks, true)
})

t.test('generated files are in the cache folder of the user', async t => {
  t.equal(cacheFolder({ env: {}, homedir: '/home/ada' }), '/home/ada/.cache/daybook')
  t.equal(cacheFolder({ env: { XDG_CACHE_HOME: '/cache' }, homedir: '/home/ada' }), '/cache/daybook')
  t.equal(cacheFolder({ env: { XDG_CACHE_HOME: 'cache' }, homedir: '/home/ada' }), '/home/ada/.cache/daybook')
})
