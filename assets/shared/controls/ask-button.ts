import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { classes, html } from '../html.js'
import { useSending } from '../server/api.js'
import { ProblemNote } from './note.js'

interface AskButtonProps {
  label: string
  /** Accessible name of the button, if there are several with this label. */
  name?: string
  /** The consequence, as a sentence. */
  question: string
  /** Label of the button that confirms. */
  answer: string
  isDanger?: boolean
  isQuiet?: boolean
  failure?: string
  /** @throws ApiProblem */
  run: () => Promise<void>
}

/** A button that asks first. */
export function AskButton(props: AskButtonProps) {
  const { label, name, question, answer, isDanger, isQuiet, failure = 'Nothing was changed.', run } = props
  const [isAsked, setAsked] = useState(false)
  const { problem, send } = useSending()
  const place = useRef<HTMLElement>(null)
  const wasAsked = useRef(false)
  useLayoutEffect(() => {
    if (isAsked !== wasAsked.current) place.current?.querySelector('button')?.focus()
    wasAsked.current = isAsked
  }, [isAsked])
  const start = () => send(() => run().then(() => setAsked(false)))
  const ask = classes('button small', isQuiet && 'quiet', isDanger && 'danger')
  return html`<span ref=${place} class=${classes('ask row wrap', isAsked && 'is-asked')} role="group" aria-label=${name ?? label}>
    ${
      isAsked
        ? html`<span>${question}</span>
          <button type="button" class=${classes('button small', isDanger ? 'danger' : 'primary')} onClick=${start}>${answer}</button>
          <button type="button" class="button small quiet" onClick=${() => setAsked(false)}>Cancel</button>`
        : html`<button type="button" class=${ask} aria-label=${name} onClick=${() => setAsked(true)}>${label}</button>`
    }
    ${problem !== undefined && html`<${ProblemNote} what=${failure} problem=${problem} />`}
  </span>`
}
