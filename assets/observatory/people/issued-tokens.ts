import { effect, signal } from '@preact/signals'
import type { IssuedToken, NewToken } from '#model/accounts/user'
import { api } from '../../shared/server/api.js'

/**
 * Issued tokens not yet confirmed as saved, by the path of their owner. Only in this page's memory: they survive
 * closing a panel but not leaving the page.
 */
const unsaved = signal<ReadonlyMap<string, IssuedToken>>(new Map())

// The browser asks before the page is left or reloaded.
effect(() => {
  if (unsaved.value.size === 0) return undefined
  const ask = (event: Event) => event.preventDefault()
  window.addEventListener('beforeunload', ask)
  return () => window.removeEventListener('beforeunload', ask)
})

/** @param path of the owner, such as `/api/me` */
export function issuedToken(path: string): IssuedToken | undefined {
  return unsaved.value.get(path)
}

/** @throws ApiProblem */
export async function issueToken(path: string, terms: NewToken): Promise<void> {
  const issued = await api<IssuedToken>(`${path}/token`, { body: terms })
  unsaved.value = new Map([...unsaved.value, [path, issued]])
}

/** The token cannot be shown again. */
export function forgetIssued(path: string): void {
  unsaved.value = new Map([...unsaved.value].filter(([other]) => other !== path))
}
