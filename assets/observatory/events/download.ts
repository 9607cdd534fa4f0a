import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { StoredEvent } from '#model/events/event'
import { Dialog } from '../../shared/controls/dialog.js'
import { ProblemNote } from '../../shared/controls/problem-note.js'
import { Segments } from '../../shared/controls/segments.js'
import { html } from '../../shared/html.js'
import { ApiProblem, api, apiResponse } from '../../shared/server/api.js'
import { SseReader } from '../../shared/server/sse-reader.js'
import type { EventPage } from '../../shared/server/wire.js'
import { pause } from '../../shared/timing.js'
import { now } from '../../shared/words/now.js'
import { bytes, count, counted } from '../../shared/words/text.js'
import { fromMs } from '../../shared/words/time.js'
import { CSV_HEAD, csvLine } from './csv.js'
import { apiQuery, rangeOf } from './filters/filters.js'
import { counts } from './histogram/histogram.js'

type Format = 'jsonl' | 'csv'

const MEDIA_TYPES: Record<Format, string> = { jsonl: 'application/x-ndjson', csv: 'text/csv;charset=utf-8' }

/** Maximum size: the browser assembles a file before saving it. UTF-16 characters. */
const MOST = 256_000_000
/** Chunks of this size move from memory into a blob. */
const PIECE = 4_000_000
/** Attempts to resume a lost connection without progress, with increasing pauses. */
const TRIES = 6
const FIRST_RETRY_MS = 500

interface Progress {
  events: number
  characters: number
  /** The connection is lost; the download resumes when the server responds. */
  isLost?: boolean
}

/** Saves the filtered events to a file: oldest first, event by event from the ledger's stream. */
export function DownloadDialog({ onClose }: { onClose: () => void }) {
  const [format, setFormat] = useState<Format>('jsonl')
  const [work, setWork] = useState<AbortController | undefined>(undefined)
  const [done, setDone] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<unknown>(undefined)
  const [progress] = useState(() => signal<Progress>({ events: 0, characters: 0 }))
  const expected = counts.value.value?.count
  useEffect(() => () => work?.abort(), [work])

  const start = async () => {
    const mine = new AbortController()
    setWork(mine)
    setDone(undefined)
    setProblem(undefined)
    progress.value = { events: 0, characters: 0 }
    try {
      const { file, isWhole } = await collect(format, mine.signal, made => {
        progress.value = made
      })
      save(file, `daybook-events-${fromMs(Date.now()).slice(0, 19).replaceAll(':', '')}.${format}`)
      const { events } = progress.peek()
      const cut = ` The file is complete up to its limit of ${bytes(MOST)}. Narrow the range to download the rest.`
      setDone(`${counted(events, 'event')} saved, ${bytes(file.size)}.${isWhole ? '' : cut}`)
    } catch (failed) {
      if (!mine.signal.aborted) setProblem(failed)
    } finally {
      setWork(undefined)
    }
  }
  const foot = work
    ? html`<button type="button" class="button" onClick=${() => work.abort()}>Cancel</button>`
    : html`<button type="button" class="button" onClick=${onClose}>Close</button>
        <button type="button" class="button primary" autofocus onClick=${() => void start()}>Download</button>`
  return html`<${Dialog} title="Download" onClose=${onClose} foot=${foot}>
    <div class="form">
      <p>${expected === undefined ? 'All events that match' : `${counted(expected, 'event')} that match`}, oldest first.
        A file has at most ${bytes(MOST)} of text.</p>
      <${Segments} legend="Format" choices=${[
        { value: 'jsonl', label: 'JSONL' },
        { value: 'csv', label: 'CSV' },
      ]} value=${format} onChange=${setFormat} />
      <p class="hint">${
        format === 'jsonl'
          ? 'One complete event per line, exactly as stored.'
          : 'A table for spreadsheets, without payloads. An apostrophe before a cell prevents it from running as a formula.'
      }</p>
      ${work && html`<${ProgressBar} progress=${progress} expected=${expected} />`}
      ${done && html`<p role="status">${done}</p>`}
      ${problem !== undefined && html`<${ProblemNote} what="The events could not be downloaded." problem=${problem} />`}
    </div>
  <//>`
}

function ProgressBar({ progress, expected }: { progress: { readonly value: Progress }; expected: number | undefined }) {
  const { events, characters, isLost } = progress.value
  const words = `${count(events)}${expected ? ` of ${count(expected)}` : ''} events, ${bytes(characters)}`
  return html`<div>
    <progress class="bar" aria-label="Downloaded" max=${Math.max(expected ?? 0, events, 1)} value=${events}></progress>
    <p class="hint">${words}${isLost && '. The connection was lost; the download resumes when the server answers.'}</p>
  </div>`
}

/**
 * Collects the events from the stream, as stored.
 *
 * @throws ApiProblem; RangeError if a message of the stream does not end
 */
async function collect(
  format: Format,
  ended: AbortSignal,
  made: (progress: Progress) => void,
): Promise<{ file: Blob; isWhole: boolean }> {
  const { days: _days, from: _from, to: _to, ...filters } = apiQuery()
  const range = rangeOf(now.peek())
  const newest = await api<EventPage>('/api/events', {
    query: { ...apiQuery(), order: 'desc', limit: 1 },
    signal: ended,
  })
  const last = newest.items[0]?.captured_at
  const pieces: Blob[] = []
  let open = format === 'csv' ? CSV_HEAD : ''
  const progress: Progress = { events: 0, characters: 0 }
  const from = range.from ?? fromMs(0)
  let since: string | undefined
  let isDone = last === undefined
  for (let tries = 0; !isDone; tries++) {
    const before = since
    try {
      await readOnce()
    } catch (problem) {
      // A refusal would be repeated.
      const isRefused = problem instanceof ApiProblem && problem.status >= 400 && problem.status < 500
      if (ended.aborted || isRefused || tries >= TRIES) throw problem
    }
    if (since !== before) tries = 0
    else if (tries >= TRIES) throw new Error('The stream ends before the last event.')
    if (!isDone) made({ ...progress, isLost: true })
    if (!isDone) await pause(FIRST_RETRY_MS * 2 ** tries, ended)
  }
  return { file: new Blob([...pieces, open], { type: MEDIA_TYPES[format] }), isWhole: progress.characters < MOST }

  async function readOnce(): Promise<void> {
    const leave = new AbortController()
    const answer = await apiResponse('/api/stream', {
      query: { ...filters, from, since },
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.any([ended, leave.signal]),
    })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const messages = new SseReader()
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        for (const { event, id = since, data } of messages.take(part.value)) {
          // Instants of the ledger have a fixed width, so they compare as text.
          if (event === 'message' && last !== undefined && id !== undefined && id <= last) add(data)
          since = id
          isDone = last === undefined || (since ?? '') >= last || progress.characters >= MOST
          if (isDone) return
        }
        made({ ...progress })
      }
    } finally {
      leave.abort()
      made({ ...progress })
    }
  }

  function add(data: string): void {
    const line = format === 'csv' ? csvLine(JSON.parse(data) as StoredEvent) : `${data}\n`
    progress.events += 1
    progress.characters += line.length
    open += line
    if (open.length < PIECE) return
    pieces.push(new Blob([open]))
    open = ''
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // After the browser has started to save it.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
