import { posix } from 'node:path'

/** `import … from 'x'`, `export … from 'x'`, `import 'x'`, also minified; not `import('x')`, which loads later. */
const STATIC_IMPORT = /(?:\bfrom|\bimport)\s*(["'])([^"'\n]+)\1/g

/**
 * The modules that a page loads at the start, so that it can request all of them together instead of discovering each
 * in another.
 *
 * @param entry name of the page's first module
 * @param files name → text of every module
 * @param libraries specifier of a library → its name
 * @returns names, `entry` first
 * @throws Error on an import that does not resolve: the page would not start
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
      // In a library's text the match may not be an import.
      if (imported !== undefined && (isOwn || files.has(imported))) found.add(imported)
    }
  }
  return [...found]
}
