import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { serve } from '../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { ownFolder } from '../black-box/own-folder.js'
import { memorySources } from '../settings/memory-sources.js'
import { ObservatorySite, ROOT_PATH } from './observatory-site.js'

export const PASSWORD = 'a password of the tests'
export const API_KEY = 'key-0123456789-abcdefgh'
export const EXECUTOR_TOKEN = 'executor-0123456789-abc'

/** A served board, with access to its API. */
interface ServedBoard {
  /** `http://127.0.0.1:<port>` */
  url: string
  home: string
  /** Ends it, and serves it again under the same address. */
  restart(): Promise<void>
  /** Asks its API, with the key. @param path from `/api` */
  ask<T = Record<string, unknown>>(path: string, init?: AskInit): Promise<T>
}

interface AskInit {
  method?: string
  body?: unknown
}

/** Boards of a test, each in its own files, and one browser for their pages. */
export class BoardSite {
  readonly #pages: ObservatorySite

  constructor(browser: Browser) {
    this.#pages = new ObservatorySite(browser)
  }

  /** Errors that pages logged, violations of their policy, and requests to other servers. */
  get complaints(): readonly string[] {
    return this.#pages.complaints
  }

  /** The whole program, board alone, below a root path. @param env its settings; an open board without any */
  async serve(t: Test, env: Record<string, string> = {}, files: Record<string, string> = {}): Promise<ServedBoard> {
    const home = join(ownFolder(t), 'board')
    const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent', BOARD_HOME: home, ...env }, files })
    const start = (port: string) =>
      serve(readServeSettings({ only: 'board', port, rootPath: ROOT_PATH }, sources), sources)
    let running = await start('0')
    t.teardown(() => running.close())
    const base = running.board?.url ?? ''
    const restart = async () => {
      await running.close()
      running = await start(new URL(base).port)
    }
    const key = env.BOARD_API_KEY
    const ask = async <T>(path: string, { method, body }: AskInit = {}) => {
      const answer = await fetch(base + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'x-board-token': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return (answer.status === 204 ? undefined : await answer.json()) as T
    }
    return { url: base.slice(0, -ROOT_PATH.length), home, restart, ask }
  }

  /** Opens the page in a window of its own, which has not been anywhere yet. @param path below the root path */
  open(t: Test, board: Pick<ServedBoard, 'url'>, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    return this.#pages.open(t, board, path, options)
  }

  /** Opens the page in another tab of the window that has these options, which is sooner. @param path below the root path */
  openTab(t: Test, board: Pick<ServedBoard, 'url'>, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    return this.#pages.openTab(t, board, path, options)
  }

  /** Shows a path in the tab that the tests of a file share for this board and these options. @param path below the root path */
  visit(t: Test, board: Pick<ServedBoard, 'url'>, path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    return this.#pages.visit(t, board, path, options)
  }
}

/** Makes cards. @returns their ids by their titles */
export async function addCards(
  { ask }: ServedBoard,
  cards: readonly Record<string, unknown>[],
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const card of cards) {
    const { id } = await ask<{ id: string }>('/api/cards', { body: card })
    ids[String(card.title)] = id
  }
  return ids
}

/** Leaves these cards on a board, and no others. @returns their ids by their titles */
export async function layOut(
  board: ServedBoard,
  cards: readonly Record<string, unknown>[],
): Promise<Record<string, string>> {
  const { items } = await board.ask<{ items: { id: string }[] }>('/api/cards')
  for (const { id } of items) await board.ask(`/api/cards/${id}`, { method: 'DELETE' })
  return addCards(board, cards)
}

/** Titles in a column, from its top, as the server has them. */
export async function titlesIn({ ask }: ServedBoard, column: string): Promise<string[]> {
  const { items } = await ask<{ items: { title: string; rank: number }[] }>(`/api/cards?column=${column}`)
  return items.sort((a, b) => a.rank - b.rank).map(({ title }) => title)
}

/** Titles in a column, from its top, as the page shows them. */
export function shownIn(page: Page, column: string): Promise<string[]> {
  return page.getByRole('region', { name: column, exact: true }).locator('.card-title').allInnerTexts()
}

/** Waits until the server has these titles in a column, from its top: the page shows them before. */
export async function savedIn(board: ServedBoard, column: string, titles: readonly string[]): Promise<void> {
  while (JSON.stringify(await titlesIn(board, column)) !== JSON.stringify(titles)) await delay(10)
}
