import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A library that pages import by name. */
interface PageLibrary {
  /** The specifier used in imports. */
  specifier: string
  /** The file next to the one that Node would load; never a path from a request. */
  file: string
  /** Set if the file is a script: it defines this global, and importing the library yields the global. */
  global?: string
}

/** Libraries of the pages, minified if the library publishes that form. */
export const LIBRARIES: readonly PageLibrary[] = [
  { specifier: 'preact', file: 'preact.module.js' },
  { specifier: 'preact/hooks', file: 'hooks.module.js' },
  { specifier: 'htm', file: 'htm.module.js' },
  { specifier: '@preact/signals-core', file: 'signals-core.mjs' },
  { specifier: '@preact/signals', file: 'signals.mjs' },
  { specifier: 'eventsource-parser', file: 'index.js' },
  { specifier: 'marked', file: 'marked.esm.js' },
  // Its module form is not minified and twice the size.
  { specifier: 'dompurify', file: 'purify.min.js', global: 'globalThis.DOMPurify' },
]

/** The library's module or script, wherever it is installed. */
export function libraryFile({ specifier, file }: PageLibrary): string {
  return join(dirname(createRequire(import.meta.url).resolve(specifier)), file)
}
