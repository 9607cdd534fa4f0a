import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Type from '#typebox'
import { LOGIN_ASSETS, type LoginLabels, type LoginPageFiles, renderLoginPage } from '../../login/login-page.js'
import { isLoopbackHost, underNameOf } from '../../login/origins.js'
import { safeNext } from '../../login/safe-next.js'
import type { LoginDesign } from '../../model/login-design.js'
import { problemReply } from '../answer/problem.js'
import {
  documented,
  type Endpoint,
  type Handler,
  type HttpRequest,
  type ParameterDoc,
  type Reply,
} from '../http/route.js'
import { pathSegment } from '../request/path-param.js'
import { singleValue } from '../request/query-string.js'
import { MemoryFile } from './memory-file.js'
import { pagesIn, plainPages, type ShowPage, type ShowPlainPage } from './plain-pages.js'

export interface LoginPages {
  page: Endpoint
  /** Answers in place of a page that needs a login, and leads back to the requested address. */
  pageInPlace: Handler
  asset: Endpoint
  /** Shows pages of the same look in place of answers for programs. */
  showPlain: ShowPlainPage
  showPage: ShowPage
}

export interface LoginPagesOptions {
  /** In front of every address: empty, or `/x`. */
  rootPath: string
  look: LoginDesign
  /** Host of the public address behind a proxy. */
  publicHost?: string
  /** Whether to ask for a user name; default true. */
  asksUsername?: boolean
  labels?: Partial<LoginLabels>
  /** Sessions of the ledger count too. `isOnly`: there is no other login. */
  ledger?: { url: string; isOnly: () => boolean }
  /** The files that the page names. */
  files?: LoginPageFiles
  /** The content of those files: name → paths below the package's `assets/`, which are joined. */
  assets?: ReadonlyMap<string, readonly string[]>
}

const MEDIA_TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

const LEDGER_ASSETS = new Map([...LOGIN_ASSETS].map(([name, path]) => [name, [path]] as const))

/**
 * The login page of a program, and its files, which are read once. A request names an entry of a table, never a file.
 *
 * Source: decisions on security, section 1, "assets by name".
 */
export function loginPages(options: LoginPagesOptions): LoginPages {
  const {
    rootPath,
    look,
    publicHost,
    asksUsername = true,
    labels = {},
    files,
    ledger,
    assets = LEDGER_ASSETS,
  } = options
  const frame = { ...look, rootPath, ...(files ? { files } : {}) }
  const loaded = new Map([...assets].map(([name, paths]) => [name, readAsset(name, paths)] as const))
  const show = (req: HttpRequest, asked: unknown): Reply => {
    const next = safeNext(asked, rootPath)
    const host = publicHost ?? req.headers.host ?? ''
    const ways = ledger ? { ledger: { url: linkFor(req, ledger.url), isOnly: ledger.isOnly() } } : {}
    const page = { ...look, rootPath, next, host, asksUsername, labels, ...ways, ...(files ? { files } : {}) }
    const headers = ['Cache-Control', 'no-store']
    return { status: 200, type: 'text/html; charset=utf-8', page: true, body: renderLoginPage(page), headers }
  }
  return {
    showPlain: plainPages(frame),
    showPage: pagesIn(frame),
    page: documented(DOCS.page, req => show(req, singleValue(req.search, 'next'))),
    pageInPlace: req => show(req, req.path + req.search),
    asset: documented(DOCS.asset, req => {
      // Compared as sent, because no name of these files needs decoding.
      const file = loaded.get(pathSegment(req))
      if (file) return file.reply(req, ['Cache-Control', 'no-cache'])
      return problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' })
    }),
  }
}

/** A page of the program; callers who must log in first receive the login page in its place. */
export function requireLogin<Who>(
  page: Endpoint<Who>,
  { pageInPlace }: LoginPages,
  mustLogIn: (identity: Who) => boolean,
): Endpoint<Who> {
  return documented(page.doc, (req, res) => (mustLogIn(req.identity) ? pageInPlace : page.handle)(req, res))
}

/** @returns undefined for an address of this machine that the visitor, who came by another name, cannot reach */
function linkFor({ headers: { host } }: HttpRequest, url: string): string | undefined {
  return isLoopbackHost(new URL(url).host) && !isLoopbackHost(host) ? undefined : underNameOf(host, url)
}

function readAsset(name: string, paths: readonly string[]): MemoryFile {
  const type = MEDIA_TYPES.get(extname(name))
  if (!type) throw new Error(`The media type of ${name} is not known`)
  const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../assets/${path}`, import.meta.url)))
  return new MemoryFile(Buffer.concat(paths.map(read)), type)
}

export const NEXT_PARAMETER: ParameterDoc = {
  name: 'next',
  description: 'Where to go after the login: a path of this server. Any other value leads to the first page.',
  schema: Type.String(),
}

const DOCS = {
  page: {
    summary: 'Login page',
    description: 'The page that asks for user name and password.',
    query: [NEXT_PARAMETER],
    answers: { 200: { description: 'A page for people', type: 'text/html' } },
  },
  asset: {
    summary: 'A file of the login page',
    description: 'Public, because the page is shown before a login.',
    answers: { 200: { description: 'The file', type: '*/*' } },
  },
}
