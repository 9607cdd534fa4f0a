import { useState } from 'preact/hooks'
import type { ListedUser } from '#model/accounts/user'
import { html } from '../../shared/html.js'
import { Switch } from '../../shared/switch.js'
import { showToast } from '../../shared/toast.js'
import { changePerson, isOwn, reasonOf, whyLastAdmin } from './people-list.js'

/** Whether a person may log in: changes immediately, reverts on failure. Switching off can be undone. */
export function PersonSwitch({ person, isBare }: { person: ListedUser; isBare: boolean }) {
  const [pending, setPending] = useState<boolean | undefined>(undefined)
  const { username } = person
  const change = async (enabled: boolean) => {
    setPending(enabled)
    try {
      await changePerson(person, { enabled })
      if (!enabled) tell(enabled)
    } catch (problem) {
      showToast({ words: `${username} ${enabled ? 'still may not' : 'still may'} log in. ${reasonOf(problem)}` })
    } finally {
      setPending(undefined)
    }
  }
  const tell = (enabled: boolean) => {
    const words = html`<strong>${username}</strong> may not log in any more, and its tokens are refused. Events and subscriptions stay.`
    showToast({ words, undo: () => void change(!enabled) })
  }
  const isOn = pending ?? person.enabled
  const whyOff = isOwn(person) ? 'This is you: ask another admin.' : whyLastAdmin(person)
  return html`<${Switch} label=${isBare ? `${username} may log in` : isOn ? 'Yes' : 'No'} isBare=${isBare} isOn=${isOn}
    whyOff=${whyOff} onChange=${(enabled: boolean) => void change(enabled)} />`
}
