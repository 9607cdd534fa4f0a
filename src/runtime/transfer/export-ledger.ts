import { resolve } from 'node:path'
import { LedgerClient } from '../../client/ledger-client.js'
import { toLine, toPageLine } from '../../ledger/transfer/page-line.js'
import { AppError } from '../../model/app-error.js'
import {
  COPY_LIMITS,
  type CopyPageLine,
  EXPORT_FORMAT,
  type ExportEnd,
  type HeadText,
} from '../../model/ledger-copy.js'
import { readTimestamp } from '../../model/timestamp.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import type { LedgerState } from '../../store/copy-store.js'
import type { Store } from '../../store/store.js'
import { openLedger } from '../open-ledger.js'
import { readVersion } from '../serve/served-program.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { readCopyLine } from './copy-lines.js'
import { type ExportTarget, exportStream, openExportFile } from './export-file.js'

export interface ExportOptions {
  /** Only events captured after this instant. */
  since?: string | undefined
  /** Also users, password hashes and digests of tokens. */
  accounts: boolean
  onProgress?: (progress: { events: number; head: string | null; through: string | null }) => void
}

/** A finished export. */
export interface LedgerExport extends ExportEnd {
  /** Absolute, or `-` for standard output. */
  path: string
  epoch: string
}

/** The source of the lines: a server, or the file. */
export interface ExportSource {
  page(range: { since: string | undefined; changes: number | undefined }): Promise<Buffer>
  state(): Promise<LedgerState>
}

const PAGE_BYTES = 1024 * 1024
const HINT = 'If you export to a file, run the same command again to continue.'

/**
 * Writes the complete content of a ledger, through the server that has it open, else from its file. An interrupted
 * export to a file continues where its last complete page ends.
 *
 * @param file or a stream to write to
 * @throws AppError `not_found/ledger_missing`, `conflict/file_exists`, `conflict/export_differs`, `unavailable/export_interrupted`
 */
export async function exportLedger(
  settings: LocalSettings,
  file: string | NodeJS.WritableStream,
  options: ExportOptions,
): Promise<LedgerExport> {
  const since = options.since === undefined ? undefined : readTimestamp('--since', options.since).text
  const path = typeof file === 'string' ? resolve(file) : '-'
  const target = typeof file === 'string' ? await openExportFile(path) : exportStream(file)
  const write = (source: ExportSource) => writeExport(source, target, { ...options, since })
  try {
    const { end, epoch } = await ledgerViaServerOrFile(settings.database, {
      server: (_, socketPath) => write(viaServer(new LedgerClient({ socketPath }))),
      file: async () => {
        const opened = await openLedger({ ...settings, mayFollow: true, mayBeMoved: true }, 'command')
        try {
          return await write(fromStore(opened.store))
        } finally {
          await opened.close()
        }
      },
    })
    await target.finish()
    return { path, ...end, epoch }
  } finally {
    await target.close()
  }
}

/** Reads the lines from a server. */
export function viaServer(client: LedgerClient): ExportSource {
  return {
    page: ({ since, changes }) =>
      client.copy({
        ...(since === undefined ? {} : { since }),
        ...(changes === undefined ? {} : { changes: String(changes) }),
      }),
    state: async () => (await client.copyState()).json() as LedgerState,
  }
}

/** Reads the lines from an open ledger. */
export function fromStore(store: Store): ExportSource {
  return {
    page: async ({ since, changes }) => {
      const from = since === undefined ? null : readTimestamp('since', since).micros
      const range = { since: from, changes: changes ?? null, limit: COPY_LIMITS.events, maxBytes: PAGE_BYTES }
      let page = await store.copies.read(range)
      if (page.neededBytes !== undefined)
        page = await store.copies.read({ ...range, limit: 1, maxBytes: page.neededBytes })
      return Buffer.concat([page.lines, Buffer.from(toPageLine(page))])
    },
    state: () => store.copies.readState(),
  }
}

interface Written {
  end: ExportEnd
  epoch: string
}

async function writeExport(
  source: ExportSource,
  target: ExportTarget,
  { since, accounts, onProgress = () => {} }: ExportOptions,
): Promise<Written> {
  const { begun } = target
  let events = begun?.events ?? 0
  let last: CopyPageLine | undefined = begun?.page
  let header = begun?.header
  if (header && (header.since !== (since ?? null) || header.accounts !== accounts))
    throw otherExport('It was made with other options.')
  let state: LedgerState | undefined
  /** Another try would repeat what the target has already. */
  const read = <Part>(part: Promise<Part>): Promise<Part> =>
    part.catch(error => {
      throw header ? interrupted(error, HINT) : error
    })
  for (;;) {
    const from: HeadText | null | undefined = last?.through
    const bytes = await read(source.page({ since: from?.captured_at ?? since, changes: last?.changes }))
    const page = pageLineOf(bytes)
    if (last && page.epoch !== last.epoch)
      throw otherExport('It is of another ledger, or of one that was restored since.')
    // A copy of the ledger has no number for changes that were made before it was copied, so they would be missing.
    if (last && page.numbering !== last.numbering)
      throw otherExport('It is of another copy of the ledger, which numbers changes differently.')
    if (!header) {
      const { closed } = await source.state()
      const { epoch } = page
      header = { format: EXPORT_FORMAT, version: readVersion(), epoch, since: since ?? null, closed, accounts }
      await target.write(Buffer.from(toLine({ export: header })))
    }
    const hasNews = !bytes.subarray(0, PAGE.length).equals(PAGE)
    if (hasNews || !last) await target.write(bytes)
    events += countEvents(bytes)
    last = page
    onProgress({ events, head: page.head, through: page.through?.captured_at ?? null })
    if (page.has_more) continue
    if (state) break
    // Subscriptions must not be ahead of the events, so the events recorded before the state was read follow after it.
    state = await read(source.state())
  }
  const { closed, subscriptions, users, tokens } = state
  const [writtenUsers, writtenTokens] = accounts ? [users, tokens] : [[], []]
  const rest = [
    ...subscriptions.map(subscription => toLine({ subscription })),
    ...writtenUsers.map(user => toLine({ user })),
    ...writtenTokens.map(token => toLine({ token })),
  ]
  const end: ExportEnd = {
    events,
    subscriptions: subscriptions.length,
    users: writtenUsers.length,
    tokens: writtenTokens.length,
    through: last.through,
  }
  await target.write(Buffer.from([...rest, toLine({ end: { ...end, closed } })].join('')))
  return { end, epoch: last.epoch }
}

function pageLineOf(page: Buffer): CopyPageLine {
  const line = readCopyLine(page.subarray(page.lastIndexOf(10, -2) + 1, -1))
  if (line.kind !== 'page') throw new AppError('unavailable', 'not_a_ledger', 'The answer is not a page of a copy.')
  return line.value
}

const PAGE = Buffer.from('{"page":')
const CHANGED = Buffer.from('\n{"changed":')

/** Counts the events, which come first; changed events and the line of the page follow. */
function countEvents(page: Buffer): number {
  let events = 0
  for (let from = 0, feed = page.indexOf(10); feed !== -1; feed = page.indexOf(10, from)) {
    const isChanged = from > 0 && page.subarray(from - 1, from - 1 + CHANGED.length).equals(CHANGED)
    const startsChanged = from === 0 && page.subarray(0, CHANGED.length - 1).equals(CHANGED.subarray(1))
    if (!isChanged && !startsChanged) events++
    from = feed + 1
  }
  return events - 1
}

function otherExport(reason: string): AppError {
  return new AppError('conflict', 'export_differs', `The unfinished export cannot be continued. ${reason}`, {
    hint: 'Remove the file that ends with .part, or name another one.',
  })
}

/** The failure of an export that has written something; `cause` itself if it is a defect. */
export function interrupted(cause: unknown, hint: string): unknown {
  if (!(cause instanceof AppError)) return cause
  return new AppError('unavailable', 'export_interrupted', `The export is not complete: ${cause.message}`, {
    hint,
    cause,
  })
}
