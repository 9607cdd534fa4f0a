import type { Test } from 'tap'
import { serve } from '../../../src/runtime/serve/serve.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'
import { readServeSettings, type ServeFlags } from '../../../src/settings/serve-settings.js'

interface ServeHereOptions extends ServeFlags {
  /** The user's home folder. */
  home: string
  env?: Record<string, string>
}

/** A server in the process of the tests. */
export interface ServerHere {
  /** `http://127.0.0.1:<port>`, with the root path; empty for a program that is not served */
  url: string
  boardUrl: string
  close(): Promise<void>
}

/**
 * Serves the ledger and the board as `daybook serve` does, without a separate process, whose start takes most of a second.
 * Without flags, they listen on free ports, and log nothing.
 */
export async function serveHere(t: Test, { home, env = {}, ...flags }: ServeHereOptions): Promise<ServerHere> {
  const sources = { ...processSources(), env, homedir: home }
  const given = { port: '0', boardPort: '0', logLevel: 'silent', ...flags }
  const running = await serve(readServeSettings(given, sources), sources)
  const close = () => running.close()
  t.teardown(close)
  return { url: running.ledger?.url ?? '', boardUrl: running.board?.url ?? '', close }
}
