import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type Plugin, rollup } from 'rollup'
import { minify } from 'terser'
import { LIBRARIES, libraryFile } from './libraries.js'

/** Scripts of a page by their names. */
interface JoinedPage {
  scripts: ReadonlyMap<string, string>
  /** Names of the scripts that it needs before it begins, the first one first. */
  preloads: readonly string[]
  /** Paths of the modules that are in them. */
  modules: readonly string[]
}

const BUILT = fileURLToPath(new URL('../../', import.meta.url))
/** Modules of `src/model` that pages share with the server and the commands. */
const MODEL = '#model/'
/** Smaller chunks are joined to another one, even if that loads some code unnecessarily. Bytes, not compressed. */
const SMALLEST_CHUNK = 10_000

/**
 * Joins the compiled modules of a page, and the libraries that they import, into few scripts: one that the page needs at
 * the start, and one for each part that it loads later, under the name of that part's module.
 *
 * @param entry path of its first module
 * @param folder of the scripts, in front of their names
 */
export async function joinPage(entry: string, folder: string): Promise<JoinedPage> {
  const bundle = await rollup({ input: { main: entry }, plugins: [withLibraries, minified], onLog: refuse })
  const { output } = await bundle.generate({
    format: 'es',
    entryFileNames: `${folder}/[name].js`,
    chunkFileNames: `${folder}/[name].js`,
    experimentalMinChunkSize: SMALLEST_CHUNK,
  })
  const chunks = new Map(output.filter(file => file.type === 'chunk').map(chunk => [chunk.fileName, chunk]))
  return {
    scripts: new Map([...chunks].map(([name, { code }]) => [name, code])),
    preloads: [...importedBy(`${folder}/main.js`, chunks)],
    modules: [...chunks.values()].flatMap(({ moduleIds }) => moduleIds),
  }
}

const withLibraries: Plugin = {
  name: 'libraries of pages',
  resolveId: specifier => {
    if (specifier.startsWith(MODEL)) return join(BUILT, 'src/model', `${specifier.slice(MODEL.length)}.js`)
    const library = LIBRARIES.find(each => each.specifier === specifier)
    return library && libraryFile(library)
  },
  load: path => {
    const script = LIBRARIES.find(library => library.global !== undefined && libraryFile(library) === path)
    return script && `${readFileSync(path, 'utf8')}\nexport default ${script.global}\n`
  },
}

/** Short names, and no comments: the first page needs 15 KB less. */
const minified: Plugin = {
  name: 'minified scripts',
  renderChunk: async code => (await minify(code, { module: true })).code ?? null,
}

/**
 * Fails for an import that does not resolve, because the page would fail. Allows `this` at the top level, which a
 * script among the libraries uses.
 */
function refuse(level: string, { code, message }: { code?: string | undefined; message: string }): void {
  if (level === 'warn' && code !== 'THIS_IS_UNDEFINED') throw new Error(message)
}

function importedBy(name: string, chunks: ReadonlyMap<string, OutputChunk>, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const imported of chunks.get(name)?.imports ?? []) importedBy(imported, chunks, found)
  return found
}
