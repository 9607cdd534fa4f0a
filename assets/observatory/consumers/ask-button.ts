import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ProblemNote } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'

export interface AskButtonProps {
  label: string
  /** What happens then, as a sentence. */
  question: string
  /** Of the button that does it. */
  answer: string
  isDanger?: boolean
  /** @throws ApiProblem */
  run: () => Promise<void>
}

/** A button that asks first. */
export function AskButton({ label, question, answer, isDanger = false, run }: AskButtonProps) {
  const [isAsked, setAsked] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  const place = useRef<HTMLElement>(null)
  const wasAsked = useRef(false)
  useLayoutEffect(() => {
    if (isAsked !== wasAsked.current) place.current?.querySelector('button')?.focus()
    wasAsked.current = isAsked
  }, [isAsked])
  const start = async () => {
    try {
      await run()
      setProblem(undefined)
      setAsked(false)
    } catch (failure) {
      setProblem(failure)
    }
  }
  return html`<span ref=${place} class="ask" role="group" aria-label=${label}>
    ${
      isAsked
        ? html`<span>${question}</span>
          <button type="button" class=${classes('button small', isDanger ? 'danger' : 'primary')} onClick=${start}>${answer}</button>
          <button type="button" class="button small quiet" onClick=${() => setAsked(false)}>Cancel</button>`
        : html`<button type="button" class=${classes('button small', isDanger && 'danger')} onClick=${() => setAsked(true)}>${label}</button>`
    }
    ${problem !== undefined && html`<${ProblemNote} what="Nothing was changed." problem=${problem} />`}
  </span>`
}
