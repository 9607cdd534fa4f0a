import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LOGIN_ASSETS, renderLoginPage } from '../../login/login-page.js'
import { safeNext } from '../../login/safe-next.js'
import type { LoginLook } from '../../model/login-look.js'
import { nextInQuery } from '../accounts/next-param.js'
import { problemReply } from '../answer/problem.js'
import type { Handler, HttpRequest, LedgerHandler, Reply } from '../http/route.js'
import { pathSegment } from '../request/path-param.js'

export interface LoginPages {
  page: Handler
  /** In place of a page that needs a login: it leads back to the address that was asked for. */
  pageInPlace: Handler
  asset: Handler
}

export interface LoginPagesOptions {
  rootPath: string
  look: LoginLook
  /** Host of the address people use when a proxy stands in front. */
  publicHost?: string
}

const MEDIA_TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

interface Asset {
  bytes: Uint8Array
  type: string
  etag: string
}

/** `GET /login`, and what the page loads: files that are read once, when the server is made. */
export function loginPages({ rootPath, look, publicHost }: LoginPagesOptions): LoginPages {
  const assets = new Map([...LOGIN_ASSETS].map(([name, path]) => [name, readAsset(path)] as const))
  const show = (req: HttpRequest, asked: unknown): Reply => {
    const next = safeNext(asked, rootPath)
    const body = renderLoginPage({ ...look, rootPath, next, host: publicHost ?? req.headers.host ?? '' })
    return { status: 200, type: 'text/html; charset=utf-8', page: true, body, headers: ['Cache-Control', 'no-store'] }
  }
  return {
    page: req => show(req, nextInQuery(req.search)),
    pageInPlace: req => show(req, req.path + req.search),
    asset: req => {
      // Compared as sent: what has to be decoded first is none of these names.
      const asset = assets.get(pathSegment(req))
      if (!asset) return problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' })
      const { bytes, type, etag } = asset
      const headers = ['Cache-Control', 'no-cache', 'ETag', etag]
      if (req.headers['if-none-match'] === etag) return { status: 304, page: true, body: '', headers }
      return { status: 200, type, page: true, body: bytes, headers }
    },
  }
}

/** A page of the program: the login page in its place for whoever must log in first. */
export function firstPage(loginPage: LedgerHandler, page: LedgerHandler): LedgerHandler {
  return (req, res) => (['anonymous', 'writer'].includes(req.identity.kind) ? loginPage : page)(req, res)
}

function readAsset(path: string): Asset {
  const bytes = readFileSync(fileURLToPath(new URL(`../../../assets/${path}`, import.meta.url)))
  const type = MEDIA_TYPES.get(extname(path))
  if (!type) throw new Error(`The media type of ${path} is not known`)
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
}
