import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ExecutorStatus } from '#model/board/run'
import { Dialog } from '../../shared/controls/dialog.js'
import { TextField } from '../../shared/controls/field.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Note } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { type Children, html } from '../../shared/html.js'
import { ApiProblem, reasonOf } from '../../shared/server/api.js'
import { HEADER_SECRET } from '../access.js'
import { boardApi, boardName, executorHeader } from '../board-address.js'
import { executor, setExecutor } from './runs.js'

/** Tokens by board, kept only in this page's memory: not in storage, addresses or the document. */
const tokens = new Map<string, string>()
const held = signal<ReadonlySet<string>>(new Set())

/**
 * The boards whose executor tokens are needed to execute something on the shown one: this machine's board forwards
 * requests to another only with its own token. Source: docs/decisions/0016.
 */
const asked: ReadonlySignal<readonly string[]> = computed(() => [...new Set(['', boardName.value])])

export const heldTokens: ReadonlySignal<readonly string[]> = computed(() =>
  asked.value.filter(board => held.value.has(board)),
)

const missingTokens: ReadonlySignal<readonly string[]> = computed(() =>
  asked.value.filter(board => !held.value.has(board)),
)

/** Clears the tokens that apply to the shown board. */
export function forgetTokens(): void {
  forget(asked.peek())
}

/** Suffix of "token" to distinguish several; empty if there can be only one. */
function ofBoard(board: string): string {
  if (asked.value.length === 1) return ''
  return ` of ${board === '' ? 'this machine' : board}`
}

export function whyTokens(): string {
  const needed = `executor token${asked.value.length === 1 ? '' : 's'}${asked.value.map(ofBoard).join(' and')}`
  return `This also requires the ${needed}.`
}

/** The same text for every refusal, so that it does not help guessing. */
function refusalWords(): string {
  return asked.value.length === 1
    ? 'The executor refused. Check the token, or ask an operator of this board.'
    : 'The executor refused. Check both tokens, or ask an operator of these boards.'
}

export type Execution<T> = (headers: Readonly<Record<string, string>>) => Promise<T>

/**
 * Executes the run with the held and the typed tokens, and keeps accepted ones.
 *
 * @param typed tokens by board
 * @throws ApiProblem; `isRefusal` if a token was refused: the server does not report which one, so none of the sent
 *   ones is kept
 */
async function execute<T>(run: Execution<T>, typed: ReadonlyMap<string, string> = new Map()): Promise<T> {
  const sent = asked.peek().map((board): [string, string] => [board, typed.get(board) ?? tokens.get(board) ?? ''])
  try {
    const done = await run(Object.fromEntries(sent.map(([board, token]) => [executorHeader(board), token])))
    for (const [board, token] of sent) tokens.set(board, token)
    held.value = new Set(tokens.keys())
    return done
  } catch (error) {
    if (isRefusal(error)) forget(sent.map(([board]) => board))
    throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 403 && error.code.startsWith('executor_')
}

function forget(boards: readonly string[]): void {
  for (const board of boards) tokens.delete(board)
  held.value = new Set(tokens.keys())
}

/** Shows for which boards executor tokens are in memory, with a button to forget them. */
export function HeldTokenStatus() {
  const [first, ...others] = heldTokens.value
  if (first === undefined) return null
  const isOne = others.length === 0
  const what = isOne ? `Executor token${ofBoard(first)}` : 'Executor tokens of both boards'
  return html`<p class="held-token hint row wrap"><${Glyph} name="key" />${what} held in this page only
    <button type="button" class="link" onClick=${forgetTokens}>Forget ${isOne ? 'it' : 'them'}</button></p>`
}

interface ExecutionDialogProps<T> {
  title: string
  action: string
  run: Execution<T>
  onDone: (done: T) => void
  onClose: () => void
  /** Description of the action, its place and its time limit. */
  children?: Children
}

/** Executes with the held tokens; the dialog is shown if they are missing or refused. Other failures are shown. */
export function useExecution<T>(asked: Omit<ExecutionDialogProps<T>, 'onClose'>) {
  const { run, onDone } = asked
  const [isAsking, setAsking] = useState(false)
  const [isInProgress, setInProgress] = useState(false)
  const start = async () => {
    if (isInProgress) return
    if (missingTokens.value.length > 0) {
      setAsking(true)
      return
    }
    setInProgress(true)
    try {
      onDone(await execute(run))
    } catch (error) {
      if (isRefusal(error)) setAsking(true)
      else showToast({ words: reasonOf(error) })
    }
    setInProgress(false)
  }
  const dialog = isAsking && html`<${ExecutionDialog} ...${asked} onClose=${() => setAsking(false)} />`
  return { start, isInProgress, dialog }
}

/** Attributes that keep password managers from saving a field. */
export const UNSAVED = { 'data-1p-ignore': true, 'data-lpignore': 'true' }

interface Problem {
  words: string
  /** Board whose token the dialog concerns; all of them when absent. */
  board?: string
}

/**
 * Asks for missing executor tokens, then executes the action. Tokens stay in this page's memory.
 */
export function ExecutionDialog<T>({ title, action, run, onDone, onClose, children }: ExecutionDialogProps<T>) {
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [isInProgress, setInProgress] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()

  const missing = missingTokens.value

  // Runs after the fields are rendered, which happens only once a held token is refused. The error comes last and may
  // be out of view on a phone.
  useLayoutEffect(() => {
    if (!problem) return
    form.current?.querySelector<HTMLInputElement>('[aria-invalid=true]')?.focus()
    form.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }, [problem])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isInProgress) return
    const words = new Map(missing.map(board => [board, (typed.get(board) ?? '').trim()]))
    for (const [board, word] of words) {
      if (HEADER_SECRET.test(word)) continue
      setProblem({ words: word === '' ? 'Required.' : refusalWords(), board })
      return
    }
    setInProgress(true)
    setProblem(undefined)
    try {
      const done = await execute(run, words)
      onClose()
      onDone(done)
    } catch (error) {
      setInProgress(false)
      setProblem({ words: isRefusal(error) ? refusalWords() : reasonOf(error) })
      if (isRefusal(error)) setTyped(new Map())
    }
  }
  const foot = html`<button type="button" class="button quiet" onClick=${onClose}>Cancel</button>
    <button type="submit" form=${id} class="button danger primary" aria-disabled=${isInProgress || undefined}>${action}</button>`
  return html`<${Dialog} title=${title} class="execution-dialog" foot=${foot} onClose=${onClose}>
    <form ref=${form} id=${id} class="form" autocomplete="off" onSubmit=${submit}>
      <div class="execution-what">${children}</div>
      <${HeldTokenStatus} />
      ${missing.map(
        (
          board,
          index,
        ) => html`<${TextField} key=${board} label=${`Executor token${ofBoard(board)}`} secret=${`the token${ofBoard(board)}`}
          value=${typed.get(board) ?? ''} onChange=${(text: string) => setTyped(new Map(typed).set(board, text))} autofocus=${index === 0}
          aria-describedby=${`${id}-hint`} aria-invalid=${problem !== undefined && (problem.board ?? board) === board} ...${UNSAVED} />`,
      )}
      ${
        missing.length > 0 &&
        html`<p id=${`${id}-hint`} class="field-hint">Kept only in this page’s memory, until you reload or choose <strong>Forget ${missing.length === 1 ? 'it' : 'them'}</strong>.</p>`
      }
      ${problem && html`<${Note} kind="danger" what=${problem.words} />`}
    </form>
  <//>`
}

export function ExecutorBar() {
  const status = executor.value
  const name = status?.paused ? 'Resume' : 'Pause'
  const { start, dialog } = useExecution<ExecutorStatus>({
    ...{ title: `${name} the executor?`, action: name, onDone: setExecutor },
    run: headers => boardApi(`/executor/${name.toLowerCase()}`, { method: 'POST', headers }),
    children: `${status?.paused ? 'Queued runs start again.' : 'No further run starts; the current one continues.'} ${whyTokens()}`,
  })
  if (!status || !(status.real || status.paused || status.running !== null || status.queued > 0)) return null
  const { paused, running, queued } = status
  return html`<div class="executor-bar row" role="group" aria-label="Executor">
    <span class="quiet-text">Executor</span>
    ${
      paused
        ? html`<span class="run-badge is-warn"><${Glyph} name="pause" class="small" />paused</span>`
        : running !== null &&
          html`<span class="run-badge is-accent"><span class="status-dot is-accent"></span>running 1</span>`
    }
    ${!paused && running === null && html`<span class="quiet-text">idle</span>`}
    ${queued > 0 && html`<span class="quiet-text">queue ${queued}</span>`}
    <button type="button" class="button" onClick=${() => void start()}>
      <${Glyph} name=${paused ? 'play' : 'pause'} />${name}
    </button>
    ${dialog}
  </div>`
}
