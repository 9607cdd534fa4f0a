import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { html, Markup } from '../../login/html.js'
import type { LoginLook } from '../../model/login-look.js'
import { ANSWER_LIMITS } from '../answer/answer-budget.js'
import { problemReply } from '../answer/problem.js'
import { pageHeaders } from '../answer/reply.js'
import { cutOffWhenSlow } from '../answer/slow-reader.js'
import type { Handler, HttpRequest, Reply } from '../http/route.js'
import { acceptedEncodings, PageFile } from './memory-file.js'

export interface PagesOptions {
  /** In front of every address: empty, or `/x`. */
  rootPath: string
  /** The page's folder below `assets`. */
  folder: 'observatory' | 'board'
  /** How it looks where the device has not chosen otherwise. */
  look: Pick<LoginLook, 'palette' | 'appearance'>
  /** Address of the other program, once it is known; the page links to it. One of the two listens first. */
  otherProgram?: () => string | undefined
  /** What is shown is invented: the page says so. */
  isDemo?: boolean | undefined
}

export interface Pages {
  /** The page, under every address that it knows how to show. */
  page: Handler
  /** `/assets/*`: what the page loads. */
  asset: Handler
}

/** What the build says of a page (`src/pages`). */
interface Manifest {
  /** Of all files together, and the folder that they are in. */
  version: string
  names: string[]
  /** What modules import a library as → name of its file. */
  imports: Record<string, string>
  /** Modules that are needed before the page begins. */
  preloads: string[]
  /** Markup of the signs. */
  sprite: string
  template: string
}

const PAGES = fileURLToPath(new URL('../../../pages/', import.meta.url))
const HTML = 'text/html; charset=utf-8'

/** Files of one version of the program never change. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'no-cache'

/**
 * A page that is made of modules, and all that it loads, as the build has laid it out.
 *
 * Files are asked for under `assets/<version>/`, so a browser asks for each of them once. The page itself is not kept by
 * browsers: under its address there is the login page for whoever must log in.
 *
 * Source: docs/decisions/0015.
 */
export function pages(options: PagesOptions): Pages {
  const { rootPath, folder } = options
  const manifest = JSON.parse(readFileSync(`${PAGES}${folder}/manifest.json`, 'utf8')) as Manifest
  const names = new Set(manifest.names)
  const prefix = `${manifest.version}/`
  const serveFile = fileServer(`${PAGES}${folder}/files`)
  let rendered: RenderedPage | undefined

  return {
    page: (req: HttpRequest) => {
      if (rootPath && !req.local && req.path.length === rootPath.length) {
        return { status: 308, type: 'text/plain', body: '', headers: ['Location', `${rootPath}/${req.search}`] }
      }
      const otherUrl = options.otherProgram?.()
      if (!rendered || rendered.otherUrl !== otherUrl) rendered = renderPage(options, { manifest, otherUrl })
      const { page, scriptHashes } = rendered
      return page.reply(req, ['Cache-Control', 'no-store'], { scriptHashes })
    },
    asset: (req, res) => {
      // Compared as sent: what has to be decoded first is none of these names.
      const asked = req.path.slice((req.local ? '' : rootPath).length + '/assets/'.length)
      const isVersioned = asked.startsWith(prefix)
      const name = isVersioned ? asked.slice(prefix.length) : asked
      if (!names.has(name)) return problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' })
      return serveFile(req, res, { path: `/${prefix}${name}`, cacheControl: isVersioned ? FOR_EVER : ASK_AGAIN })
    },
  }
}

type ServeFile = (
  req: HttpRequest,
  res: ServerResponse,
  file: { path: string; cacheControl: string },
) => Promise<Reply | undefined>

function fileServer(folder: string): ServeFile {
  const serve = sirv(folder, { etag: true, brotli: true, gzip: true, extensions: [] })
  return (req, res, { path, cacheControl }) =>
    new Promise((resolve, reject) => {
      for (const [header, value] of pairs(pageHeaders(req))) res.setHeader(header, value)
      res.setHeader('Cache-Control', cacheControl)
      // sirv says it in its other answers, and not in a 304.
      res.setHeader('Vary', 'Accept-Encoding')
      // A file that vanished after the start fails on reading, and sirv leaves that error to nobody.
      res.once('pipe', (source: Readable) => {
        source.once('error', reject)
        cutOffWhenSlow(res, ANSWER_LIMITS.takenMs)
      })
      res.once('close', () => resolve(undefined))
      serve(shownToSirv(req, path), res, () => reject(new Error(`The build has not laid out ${path}`)))
    })
}

/**
 * What sirv sees of a request: a target of ours, never the one that was sent, and of its headers those that it reads as
 * they are meant. It takes `br;q=0` for a yes, and it fails on a `Range` that ends before it begins; whoever asks for a
 * part may be given the whole.
 *
 * Source: RFC 9110, sections 12.5.3 and 14.2.
 */
function shownToSirv(req: HttpRequest, path: string): IncomingMessage {
  const headers = {
    'accept-encoding': acceptedEncodings(req.headers['accept-encoding']).join(),
    'if-none-match': req.headers['if-none-match'],
  }
  return { url: path, headers } as IncomingMessage
}

function* pairs(headers: readonly string[]): Generator<[string, string]> {
  for (let i = 0; i < headers.length; i += 2) yield [headers[i] ?? '', headers[i + 1] ?? '']
}

interface RenderedPage {
  page: PageFile
  /** Of the inline scripts in it. */
  scriptHashes: readonly string[]
  /** Where it links to. */
  otherUrl: string | undefined
}

function renderPage(
  { rootPath, folder, look, isDemo }: PagesOptions,
  { manifest, otherUrl }: { manifest: Manifest; otherUrl: string | undefined },
): RenderedPage {
  const assets = `${rootPath}/assets/${manifest.version}`
  const importMap = scriptJson({
    imports: Object.fromEntries(
      Object.entries(manifest.imports).map(([specifier, name]) => [specifier, `${assets}/${name}`]),
    ),
  })
  // Without the attribute the stylesheet follows the reader's system, before any script has run.
  const scheme = look.appearance === 'system' ? '' : html` data-scheme="${look.appearance}"`
  const other = otherUrl === undefined ? '' : html` data-other-program="${otherUrl}"`
  const demo = isDemo ? html` data-demo` : ''
  const preloads = manifest.preloads.map(name => html`<link rel="modulepreload" href="${assets}/${name}">\n`.text)
  const values: Record<string, Markup> = {
    root: html`${rootPath}`,
    attributes: html`data-root="${rootPath}" data-palette="${look.palette}"${scheme}${other}${demo}`,
    assets: html`${assets}`,
    head: html`<script type="importmap">${new Markup(importMap)}</script>
<script src="${assets}/shared/appearance-first.js"></script>
<link rel="stylesheet" href="${assets}/${folder}/page.css">
${new Markup(preloads.join(''))}<script type="module" src="${assets}/${folder}/main.js"></script>`,
    sprite: new Markup(manifest.sprite),
  }
  const text = manifest.template.replaceAll(/%(\w+)%/g, (_, name: string) => {
    const value = values[name]
    if (!value) throw new Error(`The template of ${folder} asks for ${name}, which there is not`)
    return value.text
  })
  const digest = createHash('sha256').update(importMap).digest('base64')
  return { page: new PageFile(Buffer.from(text), HTML), scriptHashes: [`sha256-${digest}`], otherUrl }
}

/** JSON that cannot end the script element it stands in. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
