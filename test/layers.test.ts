import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'src')

/** Which folders each folder may import. Every folder may import `model`; none imports a folder to its left. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  commands: ['cli', 'runtime', 'client', 'settings', 'model'],
  cli: ['client', 'settings', 'model'],
  runtime: [
    'client',
    'server',
    'demo',
    'accounts',
    'gate',
    'board',
    'proxy',
    'ledger',
    'platforms',
    'login',
    'settings',
    'store',
    'model',
  ],
  client: ['http', 'model'],
  server: ['accounts', 'gate', 'board', 'proxy', 'ledger', 'platforms', 'login', 'store', 'model'],
  demo: ['ledger', 'platforms', 'model'],
  accounts: ['login', 'store', 'model'],
  gate: ['login', 'store', 'model'],
  board: ['store', 'model'],
  proxy: ['http', 'model'],
  ledger: ['platforms', 'store', 'model'],
  platforms: ['http', 'login', 'model'],
  login: ['model'],
  settings: ['login', 'model'],
  store: ['model'],
  http: [],
  pages: [],
  model: [],
}

/** Other folders may import only the contracts of the store; `runtime` alone opens one. */
const STORE_CONTRACTS = [
  ...['store/consumer-store', 'store/copy-store', 'store/event-store', 'store/subscription-store', 'store/user-store'],
  ...[
    'store/store',
    'store/source-store',
    'store/note-store',
    'store/multi-server-store',
    'store/ledger-session-store',
  ],
  ...[
    'store/board-store',
    'store/login-failure-store',
    'store/board-session-store',
    'store/card-history-store',
    'store/card-store',
    'store/run-store',
  ],
]

const IMPORTS = /^(?:import|export)\s[^'"]*?from '(\.[^']+)'/gmu
/** Those that are left after compiling: types alone may know each other in circles. */
const RUNTIME_IMPORTS = /^(?:import|export)\s(?!type\b)[^'"]*?from '(\.[^']+)'/gmu

/** A command class is a default export, which oclif imports. */
const EXPORTED = /^export (?:async |abstract )?(?:const|let|function\*?|class|interface|type) ([\w$]+)/gmu
const PACKAGE_ENTRY = 'src/client/library/index.ts'

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(file => file.split(sep).join(posix.sep))

t.test('every folder imports only the folders to its right', async t => {
  const imports = files.flatMap(file => localImports(file, IMPORTS).map(imported => ({ file, imported })))
  t.ok(imports.length > 1_000, 'the imports are found')
  const refused = imports.filter(({ file, imported }) => {
    const [from, to] = [folderOf(file), folderOf(imported)]
    if (from === to) return false
    const isContract = to !== 'store' || from === 'runtime' || STORE_CONTRACTS.includes(imported)
    return !MAY_IMPORT[from]?.includes(to) || !isContract
  })
  t.same(refused, [])
})

t.test('the ledger knows the places of the chat platform, not how they are captured', async t => {
  for (const file of files.filter(file => folderOf(file) === 'ledger')) {
    t.notOk(
      localImports(file, IMPORTS).some(path => path.includes('/capture/')),
      file,
    )
  }
})

t.test('every folder is listed here', async t => {
  t.same([...new Set(files.map(folderOf))].sort(), Object.keys(MAY_IMPORT).sort())
})

t.test('no import cycle exists', async t => {
  const graph = new Map(files.map(file => [file.replace(/\.ts$/, ''), localImports(file, RUNTIME_IMPORTS)]))
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      t.fail(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
      return
    }
    if (done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  t.ok(done.size > 0)
})

// npm writes a lock file without those that its registry lacks, and `npm ci` refuses to read it then.
t.test('the lock file has every package that it names, for every system', async t => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const there = new Set(Object.keys(packages).map(path => path.slice(path.lastIndexOf('node_modules/') + 13)))
  const named = Object.values(packages).flatMap(each => Object.keys(each.optionalDependencies ?? {}))
  t.strictSame(
    named.filter(name => !there.has(name)),
    [],
  )
})

t.test('every exported name is used in another file', async t => {
  const folders = ['src', 'assets', 'test', 'bench', 'bin', 'clients'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(file => posix.join(folder, file)),
  )
  const texts = [...folders.filter(file => /\.(ts|js|py)$/.test(file)), 'build.js'].map(file => ({
    file,
    text: readFileSync(join(ROOT, file), 'utf8'),
  }))
  const namedIn = new Map<string, number>()
  for (const { text } of texts) {
    for (const word of new Set(text.match(/[\w$]+/g))) namedIn.set(word, (namedIn.get(word) ?? 0) + 1)
  }
  const inProgram = texts.filter(({ file }) => /^(src|assets)\//.test(file) && file !== PACKAGE_ENTRY)
  const exported = inProgram.flatMap(({ file, text }) =>
    [...text.matchAll(EXPORTED)].map(([, name = '']) => ({ file, name })),
  )
  t.ok(exported.length > 1_000, 'the exports are found')
  const unused = exported.filter(({ name }) => namedIn.get(name) === 1)
  t.same(unused, [], 'only its own file names it')
})

t.test('only settings read the environment', async t => {
  const reading = files.filter(file => readSource(file).includes('process.env'))
  t.ok(reading.length > 0, 'some do')
  t.same(
    reading.filter(file => folderOf(file) !== 'settings'),
    [],
  )
})

function folderOf(file: string): string {
  return file.split('/')[0] ?? ''
}

/** What a file imports, as paths below src without their ending. */
function localImports(file: string, statements: RegExp): string[] {
  return [...readSource(file).matchAll(statements)].map(([, path = '']) => {
    const target = relative(SOURCE, join(SOURCE, dirname(file), path))
    return target.split(sep).join(posix.sep).replace(/\.js$/, '')
  })
}

function readSource(file: string): string {
  return readFileSync(join(SOURCE, file), 'utf8')
}
