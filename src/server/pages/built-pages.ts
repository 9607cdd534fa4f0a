import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { html, Markup } from '../../login/html.js'
import type { LoginDesign } from '../../model/login-design.js'
import { ANSWER_LIMITS } from '../answer/answer-budget.js'
import { problemReply } from '../answer/problem.js'
import { pageHeaders } from '../answer/reply.js'
import { cutOffWhenSlow } from '../answer/slow-reader.js'
import { documented, type Endpoint, type HttpRequest, type Reply, type RouteDoc } from '../http/route.js'
import { acceptedEncodings } from '../request/accepted-encodings.js'
import { MemoryFile } from './memory-file.js'

interface PagesOptions {
  /** In front of every address: empty, or `/x`. */
  rootPath: string
  /** The page's folder below `assets`. */
  folder: 'observatory' | 'board'
  /** The default look, which a device may override. */
  look: Pick<LoginDesign, 'palette' | 'appearance'>
  /** Address of the other program, to which the page links. Unknown until that program listens. */
  otherProgram?: () => string | undefined
  /** Whether the content is sample data; the page shows that. */
  isDemo?: boolean | undefined
}

export interface Pages {
  /** The page, under each of its addresses. */
  page: Endpoint
  /** `/assets/*`: the files that the page loads. */
  asset: Endpoint
}

/** Written by the build (`src/pages`). */
interface Manifest {
  /** Version of all files together; also the name of their folder. */
  version: string
  names: string[]
  /** Scripts that are needed before the page begins. */
  preloads: string[]
  /** Markup of the icons. */
  sprite: string
  template: string
}

const PAGES = fileURLToPath(new URL('../../../pages/', import.meta.url))
const HTML = 'text/html; charset=utf-8'

/** Files of one version of the program never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATE = 'no-cache'

/**
 * A page, and the files that it loads, as written by the build.
 *
 * Files have addresses below `assets/<version>/`, so a browser requests each file once. Browsers do not cache the page
 * itself: the same address shows the login page to callers who must log in.
 *
 * Source: docs/decisions/0035.
 */
export function pages(options: PagesOptions): Pages {
  const { rootPath, folder } = options
  const manifest = JSON.parse(readFileSync(`${PAGES}${folder}/manifest.json`, 'utf8')) as Manifest
  const names = new Set(manifest.names)
  const prefix = `${manifest.version}/`
  const serveFile = fileServer(`${PAGES}${folder}/files`)
  let rendered: RenderedPage | undefined

  return {
    page: documented(docOf(`The ${folder}, or its login page`, 'For people, in a browser.', 'text/html'), req => {
      if (rootPath && !req.local && req.path.length === rootPath.length) {
        return { status: 308, type: 'text/plain', body: '', headers: ['Location', `${rootPath}/${req.search}`] }
      }
      const otherUrl = options.otherProgram?.()
      if (!rendered || rendered.otherUrl !== otherUrl) rendered = renderPage(options, { manifest, otherUrl })
      return rendered.page.reply(req, ['Cache-Control', 'no-store'])
    }),
    asset: documented(
      docOf(`A file of the ${folder}`, 'Scripts and styles; a name with a version never changes.', '*/*'),
      (req, res) => {
        // Compared as sent, because no name of these files needs decoding.
        const asked = req.path.slice((req.local ? '' : rootPath).length + '/assets/'.length)
        const isVersioned = asked.startsWith(prefix)
        const name = isVersioned ? asked.slice(prefix.length) : asked
        if (!names.has(name)) return problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' })
        return serveFile(req, res, { path: `/${prefix}${name}`, cacheControl: isVersioned ? IMMUTABLE : REVALIDATE })
      },
    ),
  }
}

function docOf(summary: string, description: string, type: string): RouteDoc {
  return { summary, description, answers: { 200: { description: 'The file', type } } }
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
      // sirv sends this header in its other answers, but not in a 304.
      res.setHeader('Vary', 'Accept-Encoding')
      // A file that disappeared after the start fails on reading, and sirv does not handle that error.
      res.once('pipe', (source: Readable) => {
        source.once('error', reject)
        // A pipe whose reader leaves keeps its file open.
        res.once('close', () => source.destroy())
        cutOffWhenSlow(res, ANSWER_LIMITS.takenMs)
      })
      res.once('close', () => resolve(undefined))
      serve(shownToSirv(req, path), res, () => reject(new Error(`The build has not laid out ${path}`)))
    })
}

/**
 * The request as sirv sees it: our own target, never the one that was sent, and only headers that it interprets correctly.
 * It reads `br;q=0` as acceptable, and fails on a `Range` that ends before it begins; a server may answer a range request
 * with the whole file.
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
  page: MemoryFile
  /** The address to which it links. */
  otherUrl: string | undefined
}

function renderPage(
  { rootPath, folder, look, isDemo }: PagesOptions,
  { manifest, otherUrl }: { manifest: Manifest; otherUrl: string | undefined },
): RenderedPage {
  const assets = `${rootPath}/assets/${manifest.version}`
  // Without the attribute the stylesheet follows the system's colour scheme, before any script has run.
  const scheme = look.appearance === 'system' ? '' : html` data-scheme="${look.appearance}"`
  const other = otherUrl === undefined ? '' : html` data-other-program="${otherUrl}"`
  const demo = isDemo ? html` data-demo` : ''
  const preloads = manifest.preloads.map(name => html`<link rel="modulepreload" href="${assets}/${name}">\n`.text)
  const values: Record<string, Markup> = {
    root: html`${rootPath}`,
    attributes: html`data-root="${rootPath}" data-palette="${look.palette}"${scheme}${other}${demo}`,
    assets: html`${assets}`,
    head: html`<script src="${assets}/shared/appearance-first.js"></script>
<link rel="stylesheet" href="${assets}/${folder}/page.css">
${new Markup(preloads.join(''))}<script type="module" src="${assets}/${folder}/main.js"></script>`,
    sprite: new Markup(manifest.sprite),
  }
  const text = manifest.template.replaceAll(/%(\w+)%/g, (_, name: string) => {
    const value = values[name]
    if (!value) throw new Error(`The template of ${folder} names ${name}, which does not exist`)
    return value.text
  })
  return { page: new MemoryFile(Buffer.from(text), HTML), otherUrl }
}
