import { signal } from '@preact/signals'
import { api } from '../../shared/api.js'
import type { IssuedToken } from '../../shared/wire.js'

/**
 * Tokens that nobody has said yet to have saved, by the path of whose they are. In the memory of this page alone: closing
 * a panel does not lose them, leaving the page does.
 */
const unsaved = signal<ReadonlyMap<string, IssuedToken>>(new Map())

/** @param path of whose tokens, such as `/api/me` */
export function issuedToken(path: string): IssuedToken | undefined {
  return unsaved.value.get(path)
}

/** @throws ApiProblem */
export async function issueToken(path: string): Promise<void> {
  const issued = await api<IssuedToken>(`${path}/token`, { method: 'POST' })
  unsaved.value = new Map([...unsaved.value, [path, issued]])
}

/** It is not shown again. */
export function forgetIssued(path: string): void {
  unsaved.value = new Map([...unsaved.value].filter(([other]) => other !== path))
}
