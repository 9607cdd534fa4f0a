import t from 'tap'
import { findQuickCommand } from '../../src/cli/quick-command.js'

t.test('a command is found by its words, the longest first', async t => {
  const root = t.testdir({
    dist: { program: { commands: { 'serve.js': '', api: { 'event.js': '', 'record-json.js': '' }, 'api.js': '' } } },
  })
  const find = (...argv: string[]) => {
    const found = findQuickCommand(root, argv)
    return found && [found.id, ...found.argv]
  }
  t.same(find('serve'), ['serve'])
  t.same(find('api', 'event', 'chat:1', '--json'), ['api:event', 'chat:1', '--json'])
  t.same(find('api', 'record-json', '-'), ['api:record-json', '-'])
  t.same(find('api', 'event', 'serve'), ['api:event', 'serve'])
  t.same(find('api', 'evnt'), ['api', 'evnt'])
  t.same(find('api', 'event', '--', '--help'), ['api:event', '--', '--help'])
})

t.test('everything else is left to oclif', async t => {
  const root = t.testdir({ dist: { program: { commands: { 'serve.js': '', api: { 'event.js': '' } } } } })
  const others = [
    [],
    ['--help'],
    ['api', 'event', '--help'],
    ['serve', '-h'],
    ['api'],
    ['evnts'],
    ['--json', 'serve'],
    ['api:event'],
    ['../commands/serve'],
    ['..', 'serve'],
    ['Serve'],
    ['serve.js'],
  ]
  for (const argv of others) t.equal(findQuickCommand(root, argv), undefined, argv.join(' '))
})
