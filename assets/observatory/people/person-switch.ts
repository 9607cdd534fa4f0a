import { useState } from 'preact/hooks'
import type { ListedUser } from '#model/accounts/user'
import { Switch } from '../../shared/controls/switch.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { reasonOf } from '../../shared/server/api.js'
import { changePerson, isOwn, whyLastAdmin } from './people-list.js'

/** Whether a person may log in: changes immediately, reverts on failure. Switching off can be undone. */
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
