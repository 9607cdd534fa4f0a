import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'

/** A library that pages import by name. */
export interface PageLibrary {
  /** The specifier used in imports. */
  specifier: string
  /** The file next to the one that Node would load; never a path from a request. */
  file: string
  /** The file is a script that defines this global; it is served as a module that exports it. */
  global?: string
  /** Its style sheet, in the same folder. */
  style?: string
}

/** Used by every page. */
const BASE: readonly PageLibrary[] = [
  { specifier: 'preact', file: 'preact.module.js' },
  { specifier: 'preact/hooks', file: 'hooks.module.js' },
  { specifier: 'htm', file: 'htm.module.js' },
  { specifier: '@preact/signals-core', file: 'signals-core.mjs' },
  { specifier: '@preact/signals', file: 'signals.mjs' },
  { specifier: 'eventsource-parser', file: 'index.js' },
]

/** The chart library's module form is not minified and twice the size, so the minified script is used. */
const CHART: PageLibrary = {
  ...{ specifier: 'uplot', file: 'uPlot.iife.min.js', global: 'uPlot' },
  style: 'uPlot.min.css',
}

const MARKDOWN: readonly PageLibrary[] = [
  { specifier: 'marked', file: 'marked.esm.js' },
  { specifier: 'dompurify', file: 'purify.min.js', global: 'globalThis.DOMPurify' },
]

/** Modules of `src/model` that pages share with the server and the commands. They import only each other. */
const MODEL: readonly PageLibrary[] = [
  ...['events/action', 'platforms/platform-source'],
  ...['polling', 'target-grammar', 'target-place'].map(name => `subscriptions/${name}`),
  ...['event-sentence', 'event-names', 'event-outcome', 'event-particulars'].map(name => `sentences/${name}`),
  ...['kind-sentences', 'plain-sentences', 'sentence-families', 'upkeep-sentences'].map(name => `sentences/${name}`),
].map(path => ({ specifier: `#model/${path}`, file: `${posix.basename(path)}.js` }))

/** The pages, by their folders below `assets`, and the libraries that they may import. */
export const PAGES: Readonly<Record<string, readonly PageLibrary[]>> = {
  observatory: [...BASE, CHART, ...MODEL],
  board: [...BASE, ...MARKDOWN],
}

/** A library's file name among the files of a page. */
export function libraryName({ specifier }: PageLibrary): string {
  return `lib/${specifier.replace(/^[@#]/, '')}.js`
}

/** The library's files, wherever it is installed. */
export function readLibrary({ specifier, file, global, style }: PageLibrary): { script: Buffer; style: string } {
  const folder = dirname(createRequire(import.meta.url).resolve(specifier))
  const script = readFileSync(join(folder, file))
  const exported = global === undefined ? '' : `\nexport default ${global}\n`
  return {
    script: Buffer.concat([script, Buffer.from(exported)]),
    style: style === undefined ? '' : readFileSync(join(folder, style), 'utf8'),
  }
}
