import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Gate } from '../../gate/gate.js'
import { type LoginLabels, type LoginPageFiles, renderLoginPage } from '../../login/login-page.js'
import { safeNext } from '../../login/safe-next.js'
import type { LoginLook } from '../../model/login-look.js'
import { problemReply } from '../answer/problem.js'
import type { Handler } from '../http/route.js'
import { PageFile } from '../pages/memory-file.js'
import { pathSegment } from '../request/path-param.js'
import type { BoardHandler } from './board-route.js'

export interface AuthPages {
  /** In place of a page that needs a login: it leads back to the address that was asked for. */
  loginPage: Handler
  /** `/auth-assets/:file` */
  asset: Handler
}

export interface AuthPagesOptions {
  /** In front of every address: empty, or `/x`. */
  rootPath: string
  look: LoginLook
  /** Whether a name is asked for beside the password. */
  asksUsername: boolean
  /** Host of the address people use when a proxy stands in front. */
  serviceHost?: string
}

const LABELS: Partial<LoginLabels> = {
  program: 'The board',
  title: 'Log in to the board',
  sentence: 'What is to be done, and what became of it.',
}

const FILES: LoginPageFiles = { folder: 'auth-assets', styles: ['login.css'], script: 'login.js' }

/**
 * The board's login page, and the two files that it loads. They are read once, when the server is made; a request names
 * an entry of a table and never a file.
 *
 * Source: Board Access Gate, "Endpoints", `/auth-assets/{file}`; decisions on security, section 1, "assets by name".
 */
export function authPages({ rootPath, look, asksUsername, serviceHost }: AuthPagesOptions): AuthPages {
  const files = new Map([
    ['login.css', new PageFile(readAssets('shared/tokens.css', 'login/login.css'), 'text/css; charset=utf-8')],
    ['login.js', new PageFile(readAssets('login/login.js'), 'text/javascript; charset=utf-8')],
  ])
  return {
    loginPage: req => {
      const next = safeNext(req.path + req.search, rootPath)
      const host = serviceHost ?? req.headers.host ?? ''
      const body = renderLoginPage({ ...look, rootPath, next, host, asksUsername, labels: LABELS, files: FILES })
      return { status: 200, type: 'text/html; charset=utf-8', page: true, body, headers: ['Cache-Control', 'no-store'] }
    },
    asset: req => {
      // Compared as sent: what has to be decoded first is none of these names.
      const file = files.get(pathSegment(req))
      if (file) return file.reply(req, ['Cache-Control', 'no-cache'])
      return problemReply({ status: 404, code: 'not_found', detail: 'There is no such file.' })
    },
  }
}

/** A page of the board: the login page in its place for whoever must log in first. */
export function behindLogin(gate: Pick<Gate, 'asksPassword'>, loginPage: Handler, page: BoardHandler): BoardHandler {
  return (req, res) => (gate.asksPassword(req.identity) ? loginPage : page)(req, res)
}

function readAssets(...paths: readonly string[]): Buffer {
  const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../assets/${path}`, import.meta.url)))
  return Buffer.concat(paths.map(read))
}
