// Builds everything into dist/: compiles src, test and bench for Node and assets for browsers, lays the files beside
// them that are not compiled, and the pages as they are served.
// The program as it runs is src joined, in dist/program: a module costs half a millisecond to load, whatever is in it, and
// src has hundreds. What is compiled from it stays in dist/src, for tests.
// typebox is a thousand small modules, which take longer to load than all the rest together; joined they are two.
// The manifest lists the commands, so that help does not load each of them.
// With --unless-built it keeps what was built from exactly these files. The tools that build are development
// dependencies: an installation without them can only run what is built.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SOURCES = ['src', 'assets', 'test', 'bench', 'build.js', 'package.json', 'tsconfig.json']
/** npm's own list of what is installed. */
const INSTALLED = 'node_modules/.package-lock.json'
const TOOLS = ['node_modules/rollup', 'node_modules/typescript', 'node_modules/oclif']
/** Written last: what it names is whole. */
const BUILT_FROM = 'dist/built-from'
const MANIFEST = 'oclif.manifest.json'
const COMPILED = resolve('dist/src')
/** Modules that are loaded by their path: by bin, by oclif, and as threads. */
const ENTRIES = [
  ...['cli/main', 'cli/compile-cache', 'cli/command-not-found'],
  ...['store/sqlite/worker', 'store/sqlite/board/worker', 'platforms/deliveries/delivery-worker'],
]
/** Smaller ones are joined to another where that changes nothing, though it may be loaded in vain. Bytes. */
const SMALLEST_CHUNK = 50_000

const isSource = path => statSync(path).isFile() && (path.endsWith('.ts') || path.endsWith('tsconfig.json'))

const hasTools = TOOLS.every(existsSync)
const builtFrom = [...SOURCES.flatMap(filesBelow), INSTALLED]
  .filter(existsSync)
  .map(path => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}\n`)
if (process.argv.includes('--unless-built') && isBuilt()) process.exit()
if (!hasTools) {
  console.error(
    'Daybook must be built, and the tools that build it are not installed. Run "npm ci", without --omit=dev.',
  )
  process.exit(1)
}

// Only now, as loading it takes longer than seeing that there is nothing to build.
const { rollup } = await import('rollup')
console.error('Building …')
rmSync(BUILT_FROM, { force: true }) // first, as the rest may be interrupted
rmSync('dist', { recursive: true, force: true })
for (const project of ['.', 'assets']) {
  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' })
}
for (const folder of ['assets', 'test']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: path => !isSource(path) })
}
await joinTypebox()
await joinProgram()
execFileSync('node', ['dist/src/pages/lay-out-pages.js'], { stdio: 'inherit' })
execFileSync('node', ['node_modules/oclif/bin/run.js', 'manifest'], {
  env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
writeFileSync(BUILT_FROM, builtFrom.join(''))

function filesBelow(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(path)
    .filter(name => !name.startsWith('.')) // locks of editors lead nowhere
    .sort()
    .flatMap(name => filesBelow(join(path, name)))
}

/** Removing the tools changes what is installed, and nothing of what was built. */
function isBuilt() {
  if (!existsSync(MANIFEST) || !existsSync(BUILT_FROM)) return false
  const compared = line => hasTools || !line.startsWith(INSTALLED)
  const before = readFileSync(BUILT_FROM, 'utf8').split(/(?<=\n)/)
  return before.filter(compared).join('') === builtFrom.filter(compared).join('')
}

async function joinTypebox() {
  const libraries = await rollup({
    input: {
      typebox: 'node_modules/typebox/build/index.mjs',
      'typebox-compile': 'node_modules/typebox/build/compile/index.mjs',
    },
    // Its modules import each other in circles, which does no harm.
    logLevel: 'silent',
  })
  await libraries.write({ dir: 'dist/libraries', format: 'es', chunkFileNames: 'typebox-shared.js' })
}

async function joinProgram() {
  const commands = filesBelow(join(COMPILED, 'commands')).filter(path => path.endsWith('.js'))
  const entries = [...ENTRIES, ...commands.map(path => relative(COMPILED, path).slice(0, -'.js'.length))]
  const program = await rollup({
    input: Object.fromEntries(entries.map(entry => [entry, join(COMPILED, `${entry}.js`)])),
    external: specifier => !specifier.startsWith('.') && !specifier.startsWith('/'),
    plugins: [{ name: 'own places', resolveImportMeta: urlOfOwnPlace }],
    logLevel: 'warn',
  })
  let cache
  let main
  await program.write({
    ...{ dir: 'dist/program', format: 'es', chunkFileNames: 'shared/[name].js' },
    experimentalMinChunkSize: SMALLEST_CHUNK,
    /** What every command loads, and `api health` alone, is one file; but for what turns the cache for that file on. */
    manualChunks: (id, graph) => {
      cache ??= importedBy(join(COMPILED, 'cli/compile-cache.js'), graph)
      main ??= importedBy(join(COMPILED, 'cli/main.js'), graph)
      if (cache.has(id)) return 'compile-cache'
      return main.has(id) ? 'main' : undefined
    },
  })
}

/** `import.meta.url` as if the module stood in dist/program by itself: from there it finds assets and threads. */
function urlOfOwnPlace(property, { chunkId, moduleId }) {
  const path = relative(dirname(chunkId), relative(COMPILED, moduleId))
  return property === 'url' ? `new URL(${JSON.stringify(path)}, import.meta.url).href` : null
}

function importedBy(id, graph, found = new Set()) {
  if (found.has(id) || !id.startsWith(COMPILED)) return found
  found.add(id)
  for (const imported of graph.getModuleInfo(id).importedIds) importedBy(imported, graph, found)
  return found
}
