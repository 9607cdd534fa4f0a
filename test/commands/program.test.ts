import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { hasPython } from '../black-box/killed-consumers.js'
import { ownFolder } from '../black-box/own-folder.js'
import { readPage } from '../docs/pages.js'
import { CHEAP_START } from '../support/cheap-start.js'
import { runDaybook } from './run-daybook.js'

const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8'))
const FAST_GZIP = new URL('./programs/fast-gzip.js', import.meta.url).href

const lines = [
  { argv: ['--version'], code: 0, out: new RegExp(`^daybook/${version} `) },
  { argv: [], code: 0, out: /USAGE(?=[\s\S]*--tree)[\s\S]*api[\s\S]*ledger[\s\S]*serve/ },
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
  // Again, in the same process: what it writes with `console` must not go to the outputs of the first one.
  { argv: ['--version'], code: 0, out: new RegExp(`^daybook/${version} `) },
]
for (const { argv, code, out = /^$/, err = /^$/ } of lines) {
  t.test(`daybook ${argv.join(' ')} exits with ${code}`, async t => {
    t.match(await runDaybook(t, argv), { code, out, err })
  })
}

t.test('the completion for shells is generated from the existing commands', async t => {
  const { code } = await runDaybook(t, ['autocomplete', 'bash'])
  t.equal(code, 0)
  const functions = readFileSync(`${t.testdirName}/.cache/daybook/autocomplete/functions/bash/daybook.bash`, 'utf8')
  t.match(functions, /api:record-json --json .*--api-url --token /)
})

t.test('the npm package installs without the build tools, and runs', async t => {
  const folder = ownFolder(t)
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  // Packed and installed, not linked. Without its scripts: they build, and the tests run from what is built.
  const quiet = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  const npm = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())
  const node = [...CHEAP_START, '--import', FAST_GZIP, npm]
  execFileSync(process.execPath, [...node, 'install', ...quiet, '--install-links', '--prefix', folder, root])
  const daybook = join(folder, 'node_modules/.bin/daybook')
  const options = { cwd: folder, env: { HOME: folder, PATH: process.env.PATH } }
  t.match(execFileSync(daybook, ['--version'], { ...options, encoding: 'utf8' }), new RegExp(`^daybook/${version} `))
  for (const file of ['systemd/daybook.service', 'proxy/nginx.conf', 'container/Containerfile']) {
    t.ok(existsSync(join(folder, 'node_modules/daybook/deploy', file)), file)
  }
  t.notOk(existsSync(join(folder, 'node_modules/preact')), 'what the pages need is part of them')
  const licences = readFileSync(join(folder, 'node_modules/daybook/dist/third-party-licences.txt'), 'utf8')
  for (const name of ['dompurify', 'preact', 'string-width', 'typebox'])
    t.match(licences, new RegExp(`^${name} \\d`, 'm'))

  const server = spawn(daybook, ['serve', '--json', '--only=ledger', '--port=0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  const { ledger } = JSON.parse(String((await once(server.stdout, 'data'))[0]))
  t.match(await (await fetch(`${ledger}/`)).text(), /<!doctype html>/i, 'with its pages')
  const failed = { kind: 'build.failed', subject_type: 'build', subject_id: '7' }
  await fetch(`${ledger}/api/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(failed),
  })

  // The consumer of the guide, compiled against the types that are shipped.
  const { blocks } = readPage('docs/how-to/consume-events.md')
  const code = blocks.find(({ language }) => language === 'ts')?.text ?? ''
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'consumer.ts'), code)
  const strict = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022',
    '--skipLibCheck',
    'false',
    '--skipDefaultLibCheck',
  ]
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, ...strict, ...types, 'consumer.ts'], { ...options, stdio: 'inherit' })
  execFileSync(process.execPath, ['consumer.js'], { ...options, env: { ...options.env, EVENT_API_URL: ledger } })
  t.match(readFileSync(join(folder, 'builds-typescript.txt'), 'utf8'), /^\S+ failed\n/)
  const isPythonThere = hasPython()
  const python = join(folder, 'node_modules/daybook/clients/python')
  for (const { blocks } of [readPage('docs/how-to/consume-events.md'), readPage('clients/python/README.md')]) {
    const consumer = blocks.find(({ language }) => language === 'python')?.text ?? ''
    const env = { ...options.env, EVENT_API_URL: ledger, PYTHONPATH: python }
    if (isPythonThere)
      execFileSync('python3', ['-c', consumer.replace('http://127.0.0.1:8765', ledger)], { ...options, env })
    else t.ok(existsSync(join(python, 'daybook.py')))
  }
  if (isPythonThere) t.match(readFileSync(join(folder, 'builds-python.txt'), 'utf8'), /^\S+ failed\n/)
  server.kill('SIGTERM')
  t.same(await once(server, 'exit'), [0, null])
})
