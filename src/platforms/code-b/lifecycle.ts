/** System and group hooks about the creation, change and deletion of projects, groups, accounts and keys. */
import type { TargetNode } from '../../model/events/event.js'
import { toNode } from '../mapping/node.js'
import { idAt, known, type Payload, textAt } from '../mapping/payload.js'
import { conversationOf, type Hook, type Mapped } from './hook.js'
import { carrierNode, encodePath, groupNode, instanceNode, projectId } from './target-nodes.js'
import { timeAt } from './time.js'

export type LifecycleObject = 'repository' | 'group' | 'subgroup' | 'user' | 'key'

export function mapLifecycle(objectType: LifecycleObject, verb: string): (hook: Hook) => Mapped {
  return hook => {
    const { body } = hook
    const { id, target } = objectOf(hook, objectType, verb)
    const once = verb === 'created' || verb === 'deleted'
    // A failed login does not change the account, so none of its times is that of the attempt.
    const changedAt = verb === 'failed_login' ? undefined : timeAt(body, 'updated_at')
    return {
      objectType,
      verb,
      subjectId: id,
      identity: id,
      occurrence: once ? 'once' : [changedAt],
      occurredAt: once ? creationTime(body, verb) : changedAt,
      target,
      conversation: conversationOf(hook, target, {}),
      metadata: known({
        concerned: concernedOf(body, objectType),
        changes: changesOf(body, objectType),
        old_path: textAt(body, 'old_path_with_namespace') ?? textAt(body, 'old_full_path') ?? textAt(body, 'old_path'),
        old_username: textAt(body, 'old_username'),
        state: textAt(body, 'state'),
      }),
    }
  }
}

/** The owner of the account or key, who may differ from the actor. */
function concernedOf(body: Payload, objectType: LifecycleObject): { id?: string; display?: string } | undefined {
  if (objectType !== 'user' && objectType !== 'key') return undefined
  return known({ id: objectType === 'user' ? idAt(body, 'user_id') : undefined, display: textAt(body, 'username') })
}

/** A rename. The platform sends the old name next to the current one. */
function changesOf(
  body: Payload,
  objectType: LifecycleObject,
): Record<string, { from: string; to?: string }> | undefined {
  const name = objectType === 'user' ? 'username' : 'path'
  const olds = objectType === 'user' ? ['old_username'] : ['old_path_with_namespace', 'old_full_path', 'old_path']
  const news = objectType === 'user' ? ['username'] : ['path_with_namespace', 'full_path', 'path']
  const [from, to] = [olds, news].map(names => names.flatMap(member => textAt(body, member) ?? [])[0])
  return from === undefined ? undefined : { [name]: { from, ...known({ to }) } }
}

/** Deletions have no time. */
function creationTime(body: Payload, verb: string): string | undefined {
  return verb === 'created' ? timeAt(body, 'created_at') : undefined
}

function objectOf(
  hook: Hook,
  objectType: LifecycleObject,
  verb: string,
): { id: string | undefined; target: TargetNode } {
  const { body, group, project } = hook
  switch (objectType) {
    case 'repository':
      return { id: projectId(project), target: repositoryNode(hook, verb) }
    case 'group':
    case 'subgroup':
      return { id: group?.id, target: groupNode(group, objectType) ?? toNode('owner', { nativeType: objectType }) }
    case 'user': {
      const id = idAt(body, 'user_id')
      const metadata = known({ name: textAt(body, 'name'), email: textAt(body, 'email') })
      const parent = instanceNode(hook)
      const username = textAt(body, 'username')
      const url = verb === 'deleted' ? undefined : profileLink(hook, username)
      return { id, target: toNode('user', { id, display: username, url, metadata, parent }) }
    }
    case 'key': {
      const id = idAt(body, 'id')
      const username = textAt(body, 'username')
      const parts = { metadata: known({ username }), url: profileLink(hook, username), parent: instanceNode(hook) }
      return { id, target: toNode('key', { id, display: keyName(body), ...parts }) }
    }
  }
}

/** A deleted project has no page. */
function repositoryNode(hook: Hook, verb: string): TargetNode {
  const node = carrierNode(hook) ?? toNode('repository', {})
  if (verb !== 'deleted') return node
  const { url: _, ...gone } = node
  return gone
}

function profileLink({ instance: { address } }: Hook, username: string | undefined): string | undefined {
  return address === undefined || username === undefined ? undefined : `${address}/${encodePath(username)}`
}

const KEY_TYPE = /^(?:ssh|ecdsa|sk)-[\w@.-]{1,60}/u

/** `ssh-ed25519 key 4`: the key itself and its comment remain in the payload. */
function keyName(body: Payload): string {
  const type = KEY_TYPE.exec(textAt(body, 'key') ?? '')?.[0]
  return [type, 'key', idAt(body, 'id')].filter(part => part !== undefined).join(' ')
}
