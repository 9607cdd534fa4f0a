import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { html, Markup } from '../login/html.js'
import type { LoginLook } from '../model/login-look.js'
import { moduleGraph } from './module-graph.js'
import { PageFile } from './page-file.js'
import { type PageLibrary, readLibrary } from './page-libraries.js'
import { problemReply } from './problem.js'
import type { Handler, HttpRequest } from './route.js'

export interface PagesOptions {
  /** In front of every address: empty, or `/x`. */
  rootPath: string
  /** The page's folder below `assets`: its `index.html` is the template, its `main.js` the module that begins. */
  folder: string
  libraries: readonly PageLibrary[]
  /** How it looks where the device has not chosen otherwise. */
  look: Pick<LoginLook, 'palette' | 'appearance'>
  /** Address of the other program, where it is known; the page links to it. */
  otherProgram?: string
}

export interface Pages {
  /** The page, under every address that it knows how to show. */
  page: Handler
  /** `/assets/*`: what the page loads. */
  asset: Handler
}

const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url))

const MEDIA_TYPES = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])
const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

/** The names in a path that brings the files of one version of the program, which never change. */
const FOR_EVER = ['Cache-Control', 'public, max-age=31536000, immutable']
const ASK_AGAIN = ['Cache-Control', 'no-cache']

/**
 * A page that is made of modules, and all that it loads. Everything is read when the server is made; a request names an
 * entry of a table and never a file.
 *
 * Files are asked for under `assets/<version>/`, the version being a digest of them all, so a browser asks for each of
 * them once. All style sheets go out as one. The page itself is not kept by browsers: under its address there is the
 * login page for whoever must log in.
 *
 * Source: docs/decisions/0015.
 */
export function pages(options: PagesOptions): Pages {
  const { rootPath, folder } = options
  const files = readFiles(options)
  const version = digestOf([...files].map(([name, file]) => `${name} ${file.digest}`).join('\n'), 'base64url')
  const { page, scriptHashes } = renderPage(options, files, `${rootPath}/assets/${version.slice(0, 16)}`)
  const prefix = `${version.slice(0, 16)}/`

  return {
    page: (req: HttpRequest) => {
      if (rootPath && !req.local && req.path.length === rootPath.length) {
        return { status: 308, type: 'text/plain', body: '', headers: ['Location', `${rootPath}/${req.search}`] }
      }
      return page.reply(req, ['Cache-Control', 'no-store'], { scriptHashes })
    },
    asset: (req: HttpRequest) => {
      // Compared as sent: what has to be decoded first is none of these names.
      const asked = req.path.slice((req.local ? '' : rootPath).length + '/assets/'.length)
      const isVersioned = asked.startsWith(prefix)
      const file = files.get(isVersioned ? asked.slice(prefix.length) : asked)
      if (!file) return problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' })
      return file.reply(req, isVersioned ? FOR_EVER : ASK_AGAIN)
    },
  }

  function readFiles({ libraries }: PagesOptions): Map<string, PageFile> {
    const found = new Map<string, PageFile>()
    const styles = libraries.map(library => {
      const { script, style } = readLibrary(library)
      found.set(libraryName(library), new PageFile(script, MEDIA_TYPES.get('.js') ?? ''))
      return style
    })
    for (const name of ['shared', folder].flatMap(namesIn)) {
      const type = MEDIA_TYPES.get(extname(name))
      if (type) found.set(name, new PageFile(readFileSync(join(ASSETS, name)), type))
      else if (name.endsWith('.css')) styles.push(readFileSync(join(ASSETS, name), 'utf8'))
    }
    found.set(`${folder}/page.css`, new PageFile(Buffer.from(styles.join('\n')), CSS))
    return found
  }
}

/** Names of files below `assets`, in an order of their own: values first, then the base, then the parts. */
function namesIn(folder: string): string[] {
  const names = readdirSync(join(ASSETS, folder), { recursive: true, encoding: 'utf8' })
    .map(name => posix.join(folder, name.split(sep).join(posix.sep)))
    .sort()
  const first = ['shared/tokens.css', 'shared/base.css'].filter(name => names.includes(name))
  return [...first, ...names.filter(name => !first.includes(name))]
}

function libraryName({ specifier }: PageLibrary): string {
  return `lib/${specifier.replace('@', '')}.js`
}

interface RenderedPage {
  page: PageFile
  /** Of the inline scripts in it. */
  scriptHashes: readonly string[]
}

function renderPage(options: PagesOptions, files: ReadonlyMap<string, PageFile>, assets: string): RenderedPage {
  const { rootPath, folder, libraries, look, otherProgram } = options
  const specifiers = new Map(libraries.map(library => [library.specifier, libraryName(library)]))
  const modules = [...files].filter(([name]) => name.endsWith('.js'))
  const texts = new Map(modules.map(([name, { bytes }]) => [name, Buffer.from(bytes).toString('utf8')]))
  const needed = moduleGraph(`${folder}/main.js`, texts, specifiers)
  const importMap = scriptJson({
    imports: Object.fromEntries([...specifiers].map(([specifier, name]) => [specifier, `${assets}/${name}`])),
  })
  // Without the attribute the stylesheet follows the reader's system, before any script has run.
  const scheme = look.appearance === 'system' ? '' : html` data-scheme="${look.appearance}"`
  const other = otherProgram === undefined ? '' : html` data-other-program="${otherProgram}"`
  const preloads = needed.map(name => html`<link rel="modulepreload" href="${assets}/${name}">\n`.text)
  const sprite = files.get('shared/sprite.svg')
  const values: Record<string, Markup> = {
    root: html`${rootPath}`,
    attributes: html`data-root="${rootPath}" data-palette="${look.palette}"${scheme}${other}`,
    assets: html`${assets}`,
    head: html`<script type="importmap">${new Markup(importMap)}</script>
<script src="${assets}/shared/appearance-first.js"></script>
<link rel="stylesheet" href="${assets}/${folder}/page.css">
${new Markup(preloads.join(''))}<script type="module" src="${assets}/${folder}/main.js"></script>`,
    sprite: new Markup(sprite ? Buffer.from(sprite.bytes).toString('utf8') : ''),
  }
  const template = readFileSync(join(ASSETS, folder, 'index.html'), 'utf8')
  const text = template.replaceAll(/%(\w+)%/g, (_, name: string) => {
    const value = values[name]
    if (!value) throw new Error(`The template of ${folder} asks for ${name}, which there is not`)
    return value.text
  })
  return {
    page: new PageFile(Buffer.from(text), HTML),
    scriptHashes: [`sha256-${digestOf(importMap, 'base64')}`],
  }
}

/** JSON that cannot end the script element it stands in. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function digestOf(text: string, encoding: 'base64' | 'base64url'): string {
  return createHash('sha256').update(text).digest(encoding)
}
