/** The structure of a forum: categories, groups, tags. Neither actor nor time is sent. */
import type { TargetNode } from '../../model/events/event.js'
import { toNode } from '../mapping/node.js'
import { idAt, textAt } from '../mapping/payload.js'
import { conversationOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, verbOf } from './hook.js'
import { linkTo } from './instance.js'
import { categoryNode, siteNode } from './target-nodes.js'

export function mapCategory(hook: Hook): Mapped {
  const category = hook.object
  const id = idAt(category, 'id')
  const name = textAt(category, 'name')
  const parts = { id, name, slug: textAt(category, 'slug'), parentId: idAt(category, 'parent_category_id') }
  const target =
    id === undefined ? toNode('category', { display: name, parent: siteNode(hook) }) : categoryNode(hook, parts)
  return mapStructure(hook, 'category', { id, target, text: textAt(category, 'description') })
}

export function mapGroup(hook: Hook): Mapped {
  const group = hook.object
  const id = idAt(group, 'id')
  const name = textAt(group, 'name')
  const target = toNode('group', {
    id,
    display: textAt(group, 'full_name') ?? name,
    url: name === undefined ? undefined : linkTo(hook.instance, 'g', name),
    parent: siteNode(hook),
  })
  return mapStructure(hook, 'group', { id, target, text: textAt(group, 'bio_raw') })
}

export function mapTag(hook: Hook): Mapped {
  const tag = hook.object
  const id = idAt(tag, 'id')
  const name = textAt(tag, 'name')
  const url = name === undefined ? undefined : linkTo(hook.instance, 'tag', name)
  const target = toNode('tag', { id, display: name, url, parent: siteNode(hook) })
  return mapStructure(hook, 'tag', { id, target, text: textAt(tag, 'description') })
}

function mapStructure(
  hook: Hook,
  objectType: 'category' | 'group' | 'tag',
  { id, target, text }: { id: string | undefined; target: TargetNode; text: string | undefined },
): Mapped {
  const verb = verbOf(hook, objectType)
  return {
    objectType,
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : IDENTIFIED_BY_BODY,
    occurredAt: undefined,
    target,
    conversation: conversationOf(target, text),
  }
}
