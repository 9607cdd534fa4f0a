/** The parts of a push that both code hosts send alike, in git's terms. */
import { objectsAt, type Payload, textAt } from './payload.js'

const ALL_ZEROS = /^0+$/u
const REF = /^refs\/(heads|tags)\/(.+)$/su

/** The all-zero hash that stands for no commit: before a ref was created, after it was deleted. */
export function isNoCommit(sha: string | undefined): boolean {
  return sha !== undefined && ALL_ZEROS.test(sha)
}

/** A full ref (`refs/heads/main`) or a bare name (`main`). */
export function readRef(ref: string | undefined): { type: 'branch' | 'tag' | 'ref'; name: string | undefined } {
  const [, folder, name = ref] = REF.exec(ref ?? '') ?? []
  return { type: folder === 'heads' ? 'branch' : folder === 'tags' ? 'tag' : 'ref', name }
}

/** A push is identified by repository, ref, old and new commit; without all of them only the delivery identifies it. */
export function pushIdentity(repository: string | undefined, push: Payload): string | undefined {
  const parts = [repository, textAt(push, 'ref'), textAt(push, 'before'), textAt(push, 'after')]
  if (parts.includes(undefined)) return undefined
  const [id, ref, before, after] = parts
  return `${id}:${ref}:${before}..${after}`
}

/** The messages of the commits listed in a push, which may be incomplete. */
export function commitMessages(push: Payload): string | undefined {
  const messages = objectsAt(push, 'commits').flatMap(commit => textAt(commit, 'message') ?? [])
  return messages.join('\n\n') || undefined
}
