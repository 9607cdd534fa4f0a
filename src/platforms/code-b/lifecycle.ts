/** What system hooks and group hooks tell of projects, groups, accounts and keys coming, changing and going. */
import type { TargetNode } from '../../model/event.js'
import { toNode } from '../node.js'
import { idAt, known, type Payload, textAt } from '../payload.js'
import { conversationOf, type Hook, type Mapped } from './hook.js'
import { carrierNode, groupNode, instanceNode, projectId } from './nodes.js'
import { timeAt } from './time.js'

export type LifecycleObject = 'repository' | 'group' | 'subgroup' | 'user' | 'key'

export function mapLifecycle(objectType: LifecycleObject, verb: string): (hook: Hook) => Mapped {
  return hook => {
    const { body } = hook
    const { id, target } = objectOf(hook, objectType)
    const once = verb === 'created' || verb === 'deleted'
    // A login that fails changes nothing on the account, so no time of the account is that of the attempt.
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
        old_path: textAt(body, 'old_path_with_namespace') ?? textAt(body, 'old_full_path') ?? textAt(body, 'old_path'),
        old_username: textAt(body, 'old_username'),
        state: textAt(body, 'state'),
      }),
    }
  }
}

/** Deletions tell no time of their own. */
function creationTime(body: Payload, verb: string): string | undefined {
  return verb === 'created' ? timeAt(body, 'created_at') : undefined
}

function objectOf(hook: Hook, objectType: LifecycleObject): { id: string | undefined; target: TargetNode } {
  const { body, group, project } = hook
  switch (objectType) {
    case 'repository':
      return { id: projectId(project), target: carrierNode(hook) ?? toNode('repository', {}) }
    case 'group':
    case 'subgroup':
      return { id: group?.id, target: groupNode(group, objectType) ?? toNode('owner', { nativeType: objectType }) }
    case 'user': {
      const id = idAt(body, 'user_id')
      const metadata = known({ name: textAt(body, 'name'), email: textAt(body, 'email') })
      const parent = instanceNode(hook)
      return { id, target: toNode('user', { id, display: textAt(body, 'username'), metadata, parent }) }
    }
    case 'key': {
      const id = idAt(body, 'id')
      const metadata = known({ username: textAt(body, 'username') })
      return { id, target: toNode('key', { id, metadata, parent: instanceNode(hook) }) }
    }
  }
}
