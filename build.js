// Builds everything into dist/: compiles src, test and bench for Node and assets for browsers, copies the files that need
// no compiling, and prepares the pages as they are served.
// The program runs from dist/program, where rollup joins src into few files: each module takes half a millisecond to
// load, and src has hundreds. Tests use the compiled modules in dist/src, except for the threads that these start. The client
// library has no other libraries, and is compiled once more, with its types, for programs of others.
// typebox is a thousand small modules, which take longer to load than all other modules together; joined they are two.
// The manifest lists the commands, so that help does not load each of them.
// With --unless-built it keeps a build of exactly these files. The build tools, and the libraries that the build joins, are
// development dependencies: an installation without them can only run what is built.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

const SOURCES = ['src', 'assets', 'test', 'bench', 'build.js', 'package.json', 'tsconfig.json']
/** npm's list of the installed packages. */
const INSTALLED = 'node_modules/.package-lock.json'
const TOOLS = ['node_modules/rollup', 'node_modules/typescript', 'node_modules/oclif', 'node_modules/terser']
/** Written last, so it exists only after a complete build. */
const BUILT_FROM = 'dist/built-from'
const MANIFEST = 'oclif.manifest.json'
const COMPILED = resolve('dist/src')
/** Modules that threads load by path. */
const THREADS = [
  ...['store/sqlite/thread/worker', 'store/sqlite/copy/check-worker', 'store/sqlite/board/worker'],
  'platforms/deliveries/delivery-worker',
]
/** Modules that bin or oclif loads by path. */
const ENTRIES = ['cli/main', 'cli/compile-cache', 'cli/command-not-found']
/** Libraries that are joined with the program, so that they need not be installed. */
const LIBRARIES = [
  ...['ansi-regex', 'eventsource-parser', 'get-east-asian-width', 'string-width', 'strip-ansi', 'yaml'],
  ...['htmlparser2', 'entities/decode', 'domelementtype', 'domhandler', 'domutils', 'entities'],
]
/** CommonJS libraries. To import one, each thread of Node first loads a parser for their exports; `require` needs none. */
const COMMON_JS = '@oclif/core(?:/[a-z]+)?|cli-table3|node-sqlite3-wasm|pg|pino|pino-pretty|prom-client'
const COMMON_JS_IMPORT = new RegExp(`^import (?:(\\w+)(?:, | ))?(?:\\{ ([^}]+) \\} )?from '(${COMMON_JS})';$`, 'gm')
const REQUIRE =
  "import { createRequire as toRequire } from 'node:module';\nconst requireLibrary = toRequire(import.meta.url);\n"
/** The folder of an installed package, in the path of one of its files. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/
/** Smaller chunks are joined to another one, even if that loads some code unnecessarily. Bytes. */
const SMALLEST_CHUNK = 50_000

/** How rollup joins modules of src. */
const JOINING = {
  external: specifier => !/^[./]/.test(specifier) && !LIBRARIES.includes(specifier),
  plugins: [
    { name: 'libraries', resolveId: resolveLibrary },
    { name: 'module urls', resolveImportMeta: urlOfModule },
    { name: 'required libraries', renderChunk: requireLibraries },
  ],
  // Schemas that a thread or a command does not use are left out, and typebox with the last of them.
  treeshake: {
    manualPureFunctions: ['schemaCheck', 'Type'],
    moduleSideEffects: id => !id.startsWith('#typebox'),
    propertyReadSideEffects: false,
  },
  logLevel: 'warn',
}

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

// Imported late: loading it takes longer than finding out that there is nothing to build.
const { rollup } = await import('rollup')
console.error('Building …')
rmSync(BUILT_FROM, { force: true }) // first, because the build may be interrupted
rmSync('dist', { recursive: true, force: true })
for (const project of ['.', 'assets', 'src/client/library']) {
  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'inherit' })
}
for (const folder of ['assets', 'test']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: path => !isSource(path) })
}
const { layOutPages } = await import('./dist/src/pages/lay-out-pages.js')
const joined = [...(await joinTypebox()), ...(await joinProgram()), ...(await layOutPages())]
for (const thread of THREADS) joined.push(...(await joinThread(thread)))
writeLicences(joined)
execFileSync('node', ['node_modules/oclif/bin/run.js', 'manifest'], {
  env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
writeFileSync(BUILT_FROM, builtFrom.join(''))

function filesBelow(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(path)
    .filter(name => !name.startsWith('.')) // an editor's lock is a broken link
    .sort()
    .flatMap(name => filesBelow(join(path, name)))
}

/** Removing the build tools changes the installed packages, but not the build. */
function isBuilt() {
  if (!existsSync(MANIFEST) || !existsSync(BUILT_FROM)) return false
  const compared = line => hasTools || !line.startsWith(INSTALLED)
  const before = readFileSync(BUILT_FROM, 'utf8').split(/(?<=\n)/)
  return before.filter(compared).join('') === builtFrom.filter(compared).join('')
}

/** @returns the paths of the joined modules */
async function joinTypebox() {
  const libraries = await rollup({
    input: {
      typebox: 'node_modules/typebox/build/index.mjs',
      'typebox-compile': 'node_modules/typebox/build/compile/index.mjs',
      'typebox-system': 'node_modules/typebox/build/system/index.mjs',
    },
    // Its modules have harmless import cycles.
    logLevel: 'silent',
  })
  await libraries.write({ dir: 'dist/libraries', format: 'es', chunkFileNames: 'typebox-shared.js' })
  return libraries.watchFiles
}

/** @returns the paths of the joined modules */
async function joinProgram() {
  const commands = filesBelow(join(COMPILED, 'commands')).filter(path => path.endsWith('.js'))
  const entries = [...ENTRIES, ...commands.map(path => relative(COMPILED, path).slice(0, -'.js'.length))]
  const program = await rollup({
    ...JOINING,
    input: Object.fromEntries(entries.map(entry => [entry, join(COMPILED, `${entry}.js`)])),
  })
  let cache
  let main
  await program.write({
    ...{ dir: 'dist/program', format: 'es', chunkFileNames: 'shared/[name].js', hoistTransitiveImports: false },
    experimentalMinChunkSize: SMALLEST_CHUNK,
    // The modules of `api health`, which every command loads, are one file. The compile cache must be enabled before it.
    manualChunks: (id, graph) => {
      cache ??= importedBy(join(COMPILED, 'cli/compile-cache.js'), graph)
      main ??= importedBy(join(COMPILED, 'cli/main.js'), graph)
      if (cache.has(id)) return 'compile-cache'
      return main.has(id) ? 'main' : undefined
    },
  })
  return program.watchFiles
}

/** One file each: a thread starts with every database that is opened. @returns the paths of the joined modules */
async function joinThread(thread) {
  const joined = await rollup({ ...JOINING, input: join(COMPILED, `${thread}.js`) })
  const output = { dir: 'dist/program', entryFileNames: `${thread}.js`, format: 'es', inlineDynamicImports: true }
  await joined.write(output)
  // Tests start hundreds of threads, and have the joined ones too.
  const path = relative(dirname(thread), join('../program', thread))
  writeFileSync(join(COMPILED, `${thread}.js`), `import '${path}.js'\n`)
  return joined.watchFiles
}

/** A library's ES module, which is next to the CommonJS one that Node would load with `require`. */
function resolveLibrary(specifier, importer) {
  if (!LIBRARIES.includes(specifier)) return null
  return createRequire(importer)
    .resolve(specifier)
    .replace(/\.cjs$/, '.js')
    .replace(/\/yaml\/dist\/index\.js$/, '/yaml/browser/dist/index.js')
}

/** The licences of the libraries whose code is in dist. @param modules paths of what was joined */
function writeLicences(modules) {
  const folders = modules.map(path => PACKAGE.exec(path)?.[0]).filter(folder => folder !== undefined)
  const texts = [...new Set(folders)].map(folder => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = readdirSync(folder).filter(file => /^licen[cs]e/i.test(file))
    if (files.length === 0) throw new Error(`${name} has no licence file.`)
    return [`${name} ${version}`, ...files.map(file => readFileSync(join(folder, file), 'utf8').trim())].join('\n\n')
  })
  writeFileSync('dist/third-party-licences.txt', `${texts.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

function requireLibraries(code) {
  const required = code.replaceAll(COMMON_JS_IMPORT, (_, name, members, library) => {
    const names = [name, members && `{ ${members.replaceAll(' as ', ': ')} }`].filter(Boolean)
    return names.map(each => `const ${each} = requireLibrary('${library}');`).join('\n')
  })
  return required === code ? null : { code: REQUIRE + required, map: null }
}

/** `import.meta.url` of a module as if it were not joined: it finds assets and threads by paths relative to that. */
function urlOfModule(property, { chunkId, moduleId }) {
  const path = relative(dirname(chunkId), relative(COMPILED, moduleId))
  return property === 'url' ? `new URL(${JSON.stringify(path)}, import.meta.url).href` : null
}

function importedBy(id, graph, found = new Set()) {
  if (found.has(id) || !id.startsWith(COMPILED)) return found
  found.add(id)
  for (const imported of graph.getModuleInfo(id).importedIds) importedBy(imported, graph, found)
  return found
}
