import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import { pathParam } from './path-param.js'
import { problemReply } from './problem.js'
import { pageHeaders } from './reply.js'
import type { Handler, HttpRequest, Reply } from './route.js'

export interface LandingPage {
  page: Handler
  asset: Handler
}

/** The static first page and its assets, from the package's own `assets/landing`. */
export function landingPage(rootPath: string): LandingPage {
  const serve = sirv(fileURLToPath(new URL('../../assets/landing', import.meta.url)), { etag: true, maxAge: 0 })

  const serveFile = (req: HttpRequest, res: Parameters<Handler>[1], name: string): Promise<Reply | undefined> =>
    new Promise((resolve, reject) => {
      const sentUrl = req.url
      // sirv reads the target by itself; it is given one of ours, never the one that was sent.
      req.url = `/${encodeURIComponent(name)}`
      for (const [header, value] of pairs(pageHeaders(req))) res.setHeader(header, value)
      // A file that vanished after the start fails on reading, and sirv leaves that error to nobody.
      res.once('pipe', (source: Readable) => source.once('error', reject))
      res.once('close', () => resolve(undefined))
      serve(req, res, () => {
        for (const header of res.getHeaderNames()) res.removeHeader(header)
        resolve(problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' }))
      })
      req.url = sentUrl
    })

  return {
    page: (req, res) => {
      if (rootPath && !req.path.endsWith('/')) {
        // The page's own addresses are relative to its folder.
        return { status: 308, type: 'text/plain', body: '', headers: ['Location', `${rootPath}/`] }
      }
      res.setHeader('Cache-Control', 'no-store')
      return serveFile(req, res, 'index.html')
    },
    asset: (req, res) => serveFile(req, res, pathParam(req)),
  }
}

function* pairs(headers: readonly string[]): Generator<[string, string]> {
  for (let i = 0; i < headers.length; i += 2) yield [headers[i] ?? '', headers[i + 1] ?? '']
}
