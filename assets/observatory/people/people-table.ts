import { useState } from 'preact/hooks'
import type { ListedUser } from '#model/accounts/user'
import { count } from '#model/counted'
import { Switch } from '../../shared/controls/switch.js'
import { showToast } from '../../shared/controls/toast.js'
import { classes, html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import { initials } from '../../shared/words/text.js'
import { Time } from '../../shared/words/time-view.js'
import { changePerson, isOwn, whyLastAdmin } from './people-list.js'

interface PeopleTableProps {
  people: readonly ListedUser[]
  selectedId: string
  onOpen: (person: ListedUser) => void
}

export function PeopleTable({ people, selectedId, onOpen }: PeopleTableProps) {
  return html`<div class="table-scroll named people">
    <table class="table">
      <thead><tr><th>Name</th><th>Role</th><th>Can log in</th>
        <th class="if-wide number">Tokens</th><th class="if-wide">Since</th></tr></thead>
      <tbody>${people.map(
        person =>
          html`<${PersonRow} key=${person.id} person=${person} isSelected=${person.id === selectedId} onOpen=${() => onOpen(person)} />`,
      )}</tbody>
    </table>
  </div>`
}

function PersonRow({ person, isSelected, onOpen }: { person: ListedUser; isSelected: boolean; onOpen: () => void }) {
  const { username, role, enabled, token_count: tokens, created_at: since } = person
  const whyLast = whyLastAdmin(person)
  // Keyboard users have the name's link; elements with their own action keep their clicks.
  const pressed = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest('a, button, input, label, [popover]'))) onOpen()
  }
  return html`<tr class=${classes('person', isSelected && 'is-selected', !enabled && 'is-quiet')} data-id=${person.id} onClick=${pressed}>
    <td><button type="button" class="row-name touch" onClick=${onOpen}>
      <span class="avatar" aria-hidden="true">${initials(username)}</span><span class="anywhere">${username}</span></button>
      ${isOwn(person) && html`<span class="tag">you</span>`}
    </td>
    <td>${role === 'admin' ? html`<span class="tag accent">admin</span>` : 'member'}
      ${whyLast && html` <span class="hint">last admin</span>`}</td>
    <td class="person-enabled"><${PersonSwitch} person=${person} isBare /></td>
    <td class="if-wide number">${tokens !== undefined && count(tokens)}</td>
    <td class="if-wide"><${Time} at=${since} as="date" /></td>
  </tr>`
}

/** Switches whether a person may log in: immediately, but reverts on failure. Switching off can be undone. */
export function PersonSwitch({ person, isBare }: { person: ListedUser; isBare: boolean }) {
  const [pending, setPending] = useState<boolean | undefined>(undefined)
  const { username } = person
  const change = async (enabled: boolean) => {
    setPending(enabled)
    try {
      await changePerson(person, { enabled })
      if (!enabled) showDisabled(enabled)
    } catch (problem) {
      showToast({ words: `${username} ${enabled ? 'still cannot' : 'can still'} log in. ${reasonOf(problem)}` })
    } finally {
      setPending(undefined)
    }
  }
  const showDisabled = (enabled: boolean) => {
    const words = html`<strong>${username}</strong> can no longer log in, and its tokens are refused. Events and subscriptions stay.`
    showToast({ words, undo: () => void change(!enabled) })
  }
  const isOn = pending ?? person.enabled
  const whyOff = isOwn(person) ? 'This is your account; ask another admin.' : whyLastAdmin(person)
  return html`<${Switch} label=${isBare ? `${username} can log in` : isOn ? 'Yes' : 'No'} isBare=${isBare} isOn=${isOn}
    whyOff=${whyOff} onChange=${(enabled: boolean) => void change(enabled)} />`
}
