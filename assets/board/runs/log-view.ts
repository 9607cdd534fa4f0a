import { useEffect, useRef, useState } from 'preact/hooks'
import type { LogPiece, Run } from '#model/board/run'
import { CopyButton } from '../../shared/controls/copy.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Note } from '../../shared/controls/note.js'
import { Switch } from '../../shared/controls/switch.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { isPhone } from '../../shared/media.js'
import { ApiProblem, reasonOf, segment } from '../../shared/server/api.js'
import { readEventStream, type StreamMessage } from '../../shared/server/sse-reader.js'
import { pause } from '../../shared/timing.js'
import { clockTime, duration, fromMs, toMs } from '../../shared/words/time.js'
import { boardName, boardResponse } from '../board-address.js'
import { LogFind } from './log-find.js'
import { type LogLine, LogLines, MOST_LINES, secondsBehind } from './log-lines.js'
import { isOver, stopwatch } from './run-words.js'
import { loadRuns, noteRun } from './runs.js'

const AT_END_PIXELS = 24
/** Seconds that count as live: the server collects lines for a fraction of one, and its clock is known to one. */
const MOST_LIVE = 3
/** Lines arrive in bursts, so they are searched at this interval. */
const FIND_EVERY_MS = 250

/**
 * The live log of a run. Follows the end until the user scrolls up. Inserts lines into the document directly, because
 * thousands arrive in bursts, and only the last one ever changes.
 */
export function LogView({ run, onEnd }: { run: Run; onEnd: (run: Run) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const following = useRef(true)
  /** The delay of lines in seconds, or the time of the last lines before the connection was lost. */
  const [link, setLink] = useState<'opening' | number | { heardAt: number }>('opening')
  const [changes, setChanges] = useState(0)
  const [problem, setProblem] = useState('')
  const follow = (isOn: boolean) => {
    following.current = isOn
    setFollowing(isOn)
    if (isOn) box.current?.scrollTo({ top: box.current.scrollHeight })
  }
  const ended = useRef(onEnd)
  ended.current = onEnd
  const { id } = run
  const latest = useRef(run)
  latest.current = run

  useEffect(() => {
    const list = box.current
    if (!list) return
    list.replaceChildren()
    setProblem('')
    const ends = new AbortController()
    let lines: LogLines | undefined
    let timer: number | undefined
    const rows = new Map<number, HTMLElement>()
    const reader = {
      after: () => lines?.lastSeq ?? 0,
      onPieces: (pieces: readonly LogPiece[]) => {
        const [first] = pieces
        if (!lines && first) {
          lines = new LogLines(beginning(latest.current, first))
          // The run has started, but the page does not know that yet.
          if (latest.current.state === 'queued') void loadRuns()
        }
        for (const line of pieces.flatMap(piece => lines?.add(piece) ?? [])) showLine(list, rows, line)
        for (const number of rows.keys()) {
          if (rows.size <= MOST_LINES) break
          rows.get(number)?.remove()
          rows.delete(number)
        }
        if (following.current) list.scrollTop = list.scrollHeight
        timer ??= window.setTimeout(() => {
          timer = undefined
          setChanges(changes => changes + 1)
        }, FIND_EVERY_MS)
      },
      onEnd: (last: Run) => {
        noteRun(last)
        ended.current(last)
      },
      onLink: setLink,
    }
    // The content above it may change.
    const size = new ResizeObserver(() => {
      if (following.current) list.scrollTop = list.scrollHeight
    })
    size.observe(list)
    followLog(id, reader, ends.signal).catch(error => {
      if (!ends.signal.aborted) setProblem(reasonOf(error))
    })
    return () => {
      ends.abort()
      window.clearTimeout(timer)
      size.disconnect()
    }
  }, [id])

  const scrolled = () => {
    const { current: list } = box
    if (!list) return
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < AT_END_PIXELS
    if (isAtEnd !== following.current) {
      following.current = isAtEnd
      setFollowing(isAtEnd)
    }
  }
  const isLost = typeof link === 'object'
  const note = isLost
    ? `reconnecting, up to date until ${clockTime(fromMs(link.heardAt))}`
    : typeof link === 'number' && !isOver(run) && (link < MOST_LIVE ? 'live' : `${duration(link * 1000)} behind`)
  return html`<div class="log-part fill">
    <${LogFind} box=${box} changes=${changes} onShow=${() => follow(false)} />
    ${problem && html`<${Note} kind="danger" what="The log could not be read.">${problem}<//>`}
    <div ref=${box} class="log box" role="log" aria-live="off" aria-label="Log" tabindex="0" onScroll=${scrolled}></div>
    <div class="row wrap">
      <${Switch} label="Following" isOn=${isFollowing} isWarning=${isLost} note=${note} onChange=${follow} />
      <button type="button" class="button quiet push" onClick=${() => void download(id)}><${Glyph} name="download" />Download</button>
      <${CopyButton} class="quiet" label="Copy log" isBare=${isPhone.value} text=${() => textOf(box.current)} />
    </div>
  </div>`
}

/** Saves the whole stored log, which may be longer than the shown one. A link could not send an API key. */
async function download(id: string): Promise<void> {
  try {
    const answer = await boardResponse(`/runs/${segment(id)}/log`, { query: { format: 'text' } })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await answer.blob())
    link.download = `run-${id}.log`
    link.click()
    // Only after the browser has started to save the file.
    window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  } catch (error) {
    showToast({ words: `The log was not downloaded. ${reasonOf(error)}` })
  }
}

/** Time from which the times of lines count. For a run that still waits, the time of its first output. */
function beginning({ started_at, created_at }: Run, { seq, at }: LogPiece): string {
  return started_at ?? (seq === 1 ? at : created_at)
}

function showLine(
  list: HTMLElement,
  rows: Map<number, HTMLElement>,
  { number, at, atMs, stream, text }: LogLine,
): void {
  const known = rows.get(number)
  if (known) {
    known.lastElementChild?.replaceChildren(text)
    return
  }
  const row = document.createElement('div')
  row.className = `log-line log-${stream}`
  const part = <Tag extends 'time' | 'span'>(tag: Tag, className: string, textContent: string) =>
    Object.assign(document.createElement(tag), { className, textContent })
  const clock = part('time', 'log-clock', clockTime(at))
  clock.dateTime = at
  row.append(clock, part('span', 'log-time', stopwatch(atMs)), part('span', 'log-words', text))
  rows.set(number, row)
  list.append(row)
}

function textOf(list: HTMLElement | null): string {
  return [...(list?.querySelectorAll('.log-words') ?? [])].map(({ textContent }) => `${textContent}\n`).join('')
}

interface LogReader {
  /** `seq` of the last known piece, where reading continues. */
  after: () => number
  onPieces: (pieces: readonly LogPiece[]) => void
  /** Called when the run has ended and all pieces were sent. */
  onEnd: (run: Run) => void
  /**
   * Called with the seconds that the last piece took to arrive or, after a lost connection, the time of the last
   * message.
   */
  onLink: (link: number | { heardAt: number }) => void
}

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 15_000

/**
 * Follows the log of a run until it ends or `signal` is aborted; continues after a lost connection. Does not use
 * `EventSource`, which cannot send an API key.
 *
 * @throws ApiProblem if the server refuses, e.g. because there is no such run
 */
async function followLog(runId: string, reader: LogReader, signal: AbortSignal): Promise<void> {
  let retryMs = FIRST_RETRY_MS
  let heardAt = Date.now()
  const onHeard = () => {
    heardAt = Date.now()
  }
  while (!signal.aborted) {
    const before = reader.after()
    try {
      if (await readOnce(runId, { ...reader, onHeard }, signal)) return
    } catch (error) {
      if (signal.aborted) return
      if (!isTransient(error)) throw error
    }
    if (signal.aborted) return
    reader.onLink({ heardAt })
    if (reader.after() > before) retryMs = FIRST_RETRY_MS
    await pause(retryMs, signal)
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
  }
}

/** A lost connection or a failing server, as reported by fetch and its streams. */
function isTransient(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.status === 0 || error.status >= 500 || error.status === 429
  return error instanceof TypeError || error instanceof DOMException
}

async function readOnce(
  runId: string,
  reader: LogReader & { onHeard: () => void },
  signal: AbortSignal,
): Promise<boolean> {
  let openedAt = Number.NaN
  let aheadMs = 0
  let hasEnded = false
  const open = async (signal: AbortSignal) => {
    const call = { query: { after: reader.after() }, headers: { accept: 'text/event-stream' }, signal }
    const answer = await boardResponse(`/runs/${segment(runId)}/log`, call)
    // The server's clock may differ from the device's. The clock of another board is not known.
    openedAt = toMs((boardName.peek() === '' && answer.headers.get('date')) || '')
    aheadMs = Date.now() - openedAt
    reader.onLink(0)
    return answer
  }
  const take = (messages: readonly StreamMessage[]) => {
    reader.onHeard()
    const pieces = messages.filter(({ event }) => event === 'message').map(({ data }): LogPiece => JSON.parse(data))
    if (pieces.length > 0) reader.onPieces(pieces)
    reader.onLink(secondsBehind(pieces.at(-1), { openedAt, now: Date.now() - aheadMs }))
    const end = messages.find(({ event }) => event === 'end')
    hasEnded ||= end !== undefined
    if (end) reader.onEnd(JSON.parse(end.data))
  }
  await readEventStream(open, take, signal)
  return hasEnded
}
