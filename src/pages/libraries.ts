import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A library that pages import by its name. */
export interface PageLibrary {
  /** What modules import it as. */
  specifier: string
  /** The file beside what Node would load; never a path from a request. */
  file: string
  /** The file is a script that makes this global name; it is sent as a module that exports it. */
  global?: string
  /** Its style sheet, in the same folder. */
  style?: string
}

/** What every page is made of. */
const BASE: readonly PageLibrary[] = [
  { specifier: 'preact', file: 'preact.module.js' },
  { specifier: 'preact/hooks', file: 'hooks.module.js' },
  { specifier: 'htm', file: 'htm.module.js' },
  { specifier: '@preact/signals-core', file: 'signals-core.mjs' },
  { specifier: '@preact/signals', file: 'signals.mjs' },
]

/** As a module the chart library comes unread by a minifier only, at twice the size; its small form is a script. */
const CHART: PageLibrary = {
  ...{ specifier: 'uplot', file: 'uPlot.iife.min.js', global: 'uPlot' },
  style: 'uPlot.min.css',
}

const MARKDOWN: readonly PageLibrary[] = [
  { specifier: 'marked', file: 'marked.esm.js' },
  { specifier: 'dompurify', file: 'purify.min.js', global: 'globalThis.DOMPurify' },
]

/** The pages, by their folders below `assets`, and what they may import by name. */
export const PAGES: Readonly<Record<string, readonly PageLibrary[]>> = {
  observatory: [...BASE, CHART],
  board: [...BASE, ...MARKDOWN],
}

/** The name that a library's file has among those of a page. */
export function libraryName({ specifier }: PageLibrary): string {
  return `lib/${specifier.replace('@', '')}.js`
}

/** The libraries' files, from wherever they are installed. */
export function readLibrary({ specifier, file, global, style }: PageLibrary): { script: Buffer; style: string } {
  const folder = dirname(createRequire(import.meta.url).resolve(specifier))
  const script = readFileSync(join(folder, file))
  const exported = global === undefined ? '' : `\nexport default ${global}\n`
  return {
    script: Buffer.concat([script, Buffer.from(exported)]),
    style: style === undefined ? '' : readFileSync(join(folder, style), 'utf8'),
  }
}
