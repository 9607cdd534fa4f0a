import { type ReadonlySignal, signal } from '@preact/signals'
import { showToast } from './controls/toast.js'
import { focusAfter } from './focus.js'
import { type Children, html } from './html.js'
import { reasonOf } from './server/api.js'

const pending = signal<ReadonlySet<string>>(new Set())

/** Keys of items that are hidden, and will be deleted on the server after the time to undo. */
export const deleting: ReadonlySignal<ReadonlySet<string>> = pending

interface Deletion {
  key: string
  /** The value of `data-id` of its row or card. */
  id: string
  /** The action, and what stays. */
  words: Children
  /** Also called when the page is left, so it must use `keepalive`. @throws ApiProblem */
  remove: () => Promise<unknown>
  /** `ada was not deleted.` */
  failure: Children
}

/** Hides something immediately, and deletes it after the time to undo. A refusal shows it again. */
export function deleteLater({ key, id, words, remove, failure }: Deletion): void {
  const row = () => document.querySelector(`[data-id="${CSS.escape(id)}"]`)
  const linkIn = (row: Element | null | undefined) => row?.querySelector<HTMLElement>('.row-name, .card')
  const [next, previous] = [row()?.nextElementSibling, row()?.previousElementSibling]
  focusAfter(() => linkIn(next) ?? linkIn(previous))
  pending.value = new Set([...pending.value, key])
  const show = () => {
    pending.value = new Set([...pending.value].filter(other => other !== key))
  }
  const commit = async () => {
    try {
      await remove()
    } catch (problem) {
      showToast({ words: html`${failure} ${reasonOf(problem)}` })
    }
    show()
  }
  const undo = () => {
    show()
    focusAfter(() => linkIn(row()))
  }
  showToast({ words, undo, commit })
}
