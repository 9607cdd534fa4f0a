import t from 'tap'
import { readBoardClientSettings } from '../../src/settings/client-settings.js'
import { findBoardHome } from '../../src/settings/home-folder.js'
import { HOME, memorySources, SHARED } from './memory-sources.js'
import { problemsOf } from './refusal.js'

t.test('the board is on this machine unless a flag or a variable gives another address', async t => {
  const urlOf = (boardUrl?: string, env = {}) => readBoardClientSettings({ boardUrl }, memorySources({ env })).boardUrl
  t.equal(urlOf(), 'http://127.0.0.1:8766')
  t.equal(urlOf(undefined, { BOARD_API_URL: 'https://board.example.org/' }), 'https://board.example.org')
  t.equal(urlOf('http://[::1]:9000/team/', { BOARD_API_URL: 'https://x' }), 'http://[::1]:9000/team')
  const problems = problemsOf(() => urlOf('http://ada:secret-word@x'))
  t.match(problems, [{ field: '--board-url', detail: /is not an http or https address/ }])
  t.notMatch(JSON.stringify(problems), /secret-word/)
})

t.test('the key comes from the flag, or else from the variable or the file', async t => {
  const files = { '/key': 'from-file\n', [SHARED]: 'BOARD_API_KEY=from-shared' }
  const keyOf = (env: Record<string, string>, key?: string, given: Record<string, string> = {}) =>
    readBoardClientSettings({ key }, memorySources({ env, files: given })).key
  t.equal(keyOf({}), undefined)
  t.equal(keyOf({ BOARD_API_KEY: 'from-variable' }, 'from-flag'), 'from-flag')
  t.equal(keyOf({ BOARD_API_KEY: 'from-variable' }, undefined, files), 'from-variable')
  t.equal(keyOf({}, undefined, files), 'from-shared')
  t.equal(keyOf({ BOARD_API_KEY_FILE: '/key' }, undefined, { '/key': 'from-file\n' }), 'from-file')
})

t.test('a key that cannot be sent is refused, and never shown', async t => {
  const refused = (env: Record<string, string>, key?: string) => {
    const problems = problemsOf(() => readBoardClientSettings({ key }, memorySources({ env })))
    t.notMatch(JSON.stringify(problems), /secret-word/)
    return problems
  }
  t.match(refused({}, 'two secret-words'), [{ field: '--key' }])
  t.match(refused({}, ''), [{ field: '--key' }])
  t.match(refused({ BOARD_API_KEY: 'secret-word\nx' }), [{ field: 'BOARD_API_KEY' }])
  t.match(refused({ BOARD_API_KEY: '' }), [{ field: 'BOARD_API_KEY' }])
  t.match(refused({ BOARD_API_KEY: 'secret-word', BOARD_API_KEY_FILE: '/key' }), [{ field: 'BOARD_API_KEY' }])
  t.match(refused({ BOARD_API_KEY_FILE: '/missing' }), [{ field: 'BOARD_API_KEY_FILE' }])
})

t.test('the folder of the board is BOARD_HOME, or else one in the home folder of the program', async t => {
  const homeOf = (env: Record<string, string>, files = {}) => findBoardHome(memorySources({ env, files }))
  t.equal(homeOf({}), `${HOME}/.arch/board`)
  t.equal(homeOf({ ARCH_HOME: '/arch' }), '/arch/board')
  t.equal(homeOf({ ARCH_HOME: '/arch', BOARD_HOME: '/boards/team' }), '/boards/team')
  t.equal(homeOf({}, { [SHARED]: 'BOARD_HOME=~/team' }), `${HOME}/team`)
  t.match(
    problemsOf(() => homeOf({ BOARD_HOME: 'team' })),
    [{ field: 'BOARD_HOME', detail: /not an absolute path/ }],
  )
})
