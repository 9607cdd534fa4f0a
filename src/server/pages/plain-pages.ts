import { type PageFrame, type PlainPage, renderPlainPage } from '../../login/login-page.js'
import type { HttpRequest, Reply } from '../http/route.js'

/** An answer for people, in place of one for programs. */
export interface PlainAnswer extends PlainPage {
  status: number
  /** Names and values in turn. */
  headers?: readonly string[] | undefined
}

/** @returns undefined if the request does not come from the address bar or a link of a browser */
export type ShowPlainPage = (req: HttpRequest, answer: PlainAnswer) => Reply | undefined

/** Answers with a page. */
export type ShowPage = (answer: PlainAnswer) => Reply

/** Shows pages in this frame. */
export function pagesIn(frame: PageFrame): ShowPage {
  return ({ status, headers = [], ...page }) => {
    const all = [...headers, 'Cache-Control', 'no-store', 'Vary', 'Accept']
    return { status, type: 'text/html; charset=utf-8', page: true, body: renderPlainPage(frame, page), headers: all }
  }
}

/** Answers browsers with a page where programs receive JSON. A program never asks for HTML alone. */
export function plainPages(frame: PageFrame): ShowPlainPage {
  const show = pagesIn(frame)
  return (req, answer) => (asksForPage(req) ? show(answer) : undefined)
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'Log in first',
  403: 'You may not open this',
  404: 'Nothing is here',
  429: 'Too many requests',
  500: 'The server failed',
  503: 'The server is not ready',
}

/** A refusal as a page, for browsers; other answers stay as they are. */
export function refusalShown(show: ShowPlainPage, req: HttpRequest, reply: Reply): Reply {
  if (reply.type !== 'application/problem+json' || !asksForPage(req)) return reply
  const { status, title, detail, code, request_id } = JSON.parse(String(reply.body))
  const codes = [code, request_id].filter(one => one !== undefined).join(' · ')
  const { headers } = reply
  return show(req, { status, headers, text: detail, code: codes, title: TITLES[status] ?? title }) ?? reply
}

/** `?as=json` is for the link to the JSON on such a page. */
function asksForPage({ method, headers: { accept = '' }, search }: HttpRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return accept.includes('text/html') && !accept.includes('json') && search !== '?as=json'
}
