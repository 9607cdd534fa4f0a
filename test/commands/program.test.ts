import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runDaybook } from './run-daybook.js'

const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8'))

const lines = [
  { argv: ['--version'], code: 0, out: new RegExp(`^daybook/${version} `) },
  { argv: [], code: 0, out: /USAGE[\s\S]*api[\s\S]*ledger[\s\S]*serve/ },
  { argv: ['--help'], code: 0, out: /--tree/ },
  { argv: ['api'], code: 0, out: /api record-json/ },
  { argv: ['api', 'events', '--help'], code: 0, out: /--since=<time>[\s\S]*EXAMPLES/ },
  { argv: ['help', 'api', 'events'], code: 0, out: /--since=<time>/ },
  { argv: ['--tree'], code: 0, out: /^daybook\n├── api[\s\S]*event <dedupe_key>[\s\S]*\[--api-url <url>\]/ },
  { argv: ['--tree-brief'], code: 0, out: /^daybook\n├── api[\s\S]*serve {2}# / },
  {
    argv: ['api', 'evnts'],
    code: 2,
    err: /^"daybook api evnts" is not a command\. Did you mean "daybook api events"\?\n$/,
  },
  { argv: ['evnts'], code: 2, err: /Did you mean "daybook api events"\?\n$/ },
  {
    argv: ['teapot'],
    code: 2,
    err: /^"daybook teapot" is not a command\. "daybook --tree-brief" shows every command\.\n$/,
  },
  { argv: ['teapot', '--json'], code: 2, out: /^\{"error":\{"code":"unknown_command",.*\}\}\n$/ },
]
for (const { argv, code, out = /^$/, err = /^$/ } of lines) {
  t.test(`daybook ${argv.join(' ')} ends with ${code}`, async t => {
    t.match(await runDaybook(t, argv), { code, out, err })
  })
}

t.test('completion for the shell is made from the commands there are', async t => {
  const { code } = await runDaybook(t, ['autocomplete', 'bash'])
  t.equal(code, 0)
  const functions = readFileSync(`${t.testdirName}/.cache/daybook/autocomplete/functions/bash/daybook.bash`, 'utf8')
  t.match(functions, /api:record-json --json --api-url --token/)
})
