import { posix } from 'node:path'

/** `import … from 'x'`, `export … from 'x'`, `import 'x'`, minified as well; not `import('x')`, which waits its turn. */
const STATIC_IMPORT = /(?:\bfrom|\bimport)\s*(["'])([^"'\n]+)\1/g

/**
 * The modules that a page loads before it begins, so that it can ask for all of them at once instead of finding each
 * in another.
 *
 * @param entry the name of the module that the page begins with
 * @param files name → text of each module that there is
 * @param libraries what modules import a library as → its name
 * @returns names, `entry` first
 * @throws Error on an import of nothing that is there: the page would not start
 */
export function moduleGraph(
  entry: string,
  files: ReadonlyMap<string, string>,
  libraries: ReadonlyMap<string, string>,
): string[] {
  const found = new Set([entry])
  for (const name of found) {
    const text = files.get(name)
    if (text === undefined) throw new Error(`A page needs the module ${name}, which is not there`)
    for (const [, , specifier = ''] of text.matchAll(STATIC_IMPORT)) {
      const isOwn = specifier.startsWith('.')
      const imported = isOwn ? posix.join(posix.dirname(name), specifier) : libraries.get(specifier)
      // In a library's text it may be no import at all.
      if (imported !== undefined && (isOwn || files.has(imported))) found.add(imported)
    }
  }
  return [...found]
}
