import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BoardClient } from '../../client/board-client.js'
import { LedgerClient } from '../../client/ledger-client.js'
import { AppError } from '../../model/app-error.js'
import { makeFolderNow } from '../../model/files/make-folder.js'
import { readBoardClientSettings, readClientSettings } from '../../settings/client-settings.js'
import { readConfiguration } from '../../settings/configuration.js'
import { cacheFolder } from '../../settings/reading/paths.js'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import { at, lineAt, linesAt, listAt } from '../terminal/fields.js'
import type { ListName } from './complete.js'

/** How long a list is cached: a person presses Tab several times for one command line. */
const KEPT_MS = 60_000
/** Maximum wait for a server, while a person waits for the list. */
const LONGEST_MS = 1_500
/** Maximum length. A longer list would not help. */
const MOST = 500

/**
 * Lists for completion, from the servers that the settings name. Cached for a minute in the user's cache folder, where
 * only this user can read them. A list that cannot be read is empty: a message has no place in the middle of a command
 * line.
 */
export async function listedValues(name: ListName, sources: SettingSources): Promise<readonly string[]> {
  try {
    if (name === 'profiles') return readConfiguration({}, sources).shown.profiles.map(profile => profile.name)
    const file = join(cacheFolder(sources), 'completion', `${keyOf(name, sources)}.json`)
    const kept = readKept(file)
    if (kept) return kept
    const values = [...new Set(await ask(name, sources, AbortSignal.timeout(LONGEST_MS)))].slice(0, MOST)
    keep(file, values)
    return values
  } catch (error) {
    if (error instanceof AppError || (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name)))
      return []
    throw error
  }
}

async function ask(
  name: Exclude<ListName, 'profiles'>,
  sources: SettingSources,
  signal: AbortSignal,
): Promise<string[]> {
  if (name === 'cards' || name === 'runs') {
    const { boardUrl, key } = readBoardClientSettings({}, sources)
    const client = new BoardClient({ apiUrl: boardUrl }, key === undefined ? {} : { key })
    const answer = name === 'cards' ? await client.cards({}, { signal }) : await client.runs({}, { signal })
    return listAt(answer.json(), 'items').map(item => lineAt(item, 'id'))
  }
  const { apiUrl, credential } = readClientSettings({}, sources)
  const client = new LedgerClient({ apiUrl }, credential ? { credential } : {})
  switch (name) {
    case 'kinds':
      return listAt((await client.platforms({ signal })).json(), 'items').flatMap(item => linesAt(item, 'kinds'))
    case 'sources':
      return Object.keys(Object(at((await client.stats({ signal })).json(), 'by_source')))
    case 'subscriptions':
      return listAt((await client.subscriptions({}, { signal })).json(), 'items').map(item => lineAt(item, 'id'))
    case 'consumers':
      return listAt((await client.consumers({ signal })).json(), 'items').map(item => lineAt(item, 'name'))
  }
}

/** Differs by server and caller, because their values differ. The credential is only part of the digest. */
function keyOf(name: ListName, sources: SettingSources): string {
  const servers = [readClientSettings({}, sources), readBoardClientSettings({}, sources)]
  return `${name}-${createHash('sha256').update(JSON.stringify(servers)).digest('hex').slice(0, 32)}`
}

function readKept(file: string): string[] | undefined {
  const state = statSync(file, { throwIfNoEntry: false })
  if (!state || Date.now() - state.mtimeMs > KEPT_MS || state.uid !== process.getuid?.()) return undefined
  try {
    const values: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(values) ? values.map(String) : undefined
  } catch (error) {
    // Another process is writing it.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function keep(file: string, values: readonly string[]): void {
  try {
    makeFolderNow(dirname(file))
    writeFileSync(file, JSON.stringify(values), { mode: 0o600 })
  } catch (error) {
    // The home folder is not writable. The next completion asks the server again.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
