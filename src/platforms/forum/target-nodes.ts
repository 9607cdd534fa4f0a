/**
 * The nodes of target chains: post, topic, category, the forum itself. Keys contain native ids, never a title or slug.
 * Those are in `display` and `metadata`, where subscriptions find their current values.
 */
import type { TargetNode } from '../../model/events/event.js'
import { toNode } from '../mapping/node.js'
import { idAt, known, numberAt, objectAt, type Payload, textAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'
import { absoluteLink, type Instance, linkTo } from './instance.js'
import { authorOf, describe, displayOf, type Person, profileLink } from './person.js'

interface CategoryParts {
  id: string | undefined
  name?: string | undefined
  slug?: string | undefined
  parentId?: string | undefined
}

interface TopicParts {
  id: string | undefined
  title: string | undefined
  slug: string | undefined
  url?: string | undefined
  /** `private_message` for a conversation with restricted readers. */
  archetype?: string | undefined
  author?: Person | undefined
  parent: TargetNode
}

/** Root of all chains. */
export function siteNode({ instance }: Hook): TargetNode {
  return toNode('site', { id: instance.host, display: instance.host, url: instance.url, nativeType: 'instance' })
}

/** The node of a category, or of the site if there is no category. */
export function categoryNode(hook: Hook, { id, name, slug, parentId }: CategoryParts): TargetNode {
  if (id === undefined) return siteNode(hook)
  return toNode('category', {
    id,
    // Scopes name nodes by `display`, and posts contain only the slug.
    display: name ?? slug,
    url: linkTo(hook.instance, 'c', slug, id),
    metadata: known({ slug }),
    parent: categoryNode(hook, { id: parentId }),
  })
}

export function topicNode(hook: Hook, { id, title, slug, url, archetype, author, parent }: TopicParts): TargetNode {
  return toNode('topic', {
    id,
    display: title,
    url: url ?? (id === undefined ? undefined : topicLink(hook.instance, slug, id)),
    metadata: known({
      slug,
      archetype,
      private: archetype === 'private_message' || undefined,
      author: describe(author),
    }),
    parent,
  })
}

/** The topic in an object's members `topic_…`, or its category if there are none. */
export function topicAround(hook: Hook, inside: Payload | undefined): TargetNode {
  const id = idAt(inside, 'topic_id')
  const category = categoryNode(hook, { id: idAt(inside, 'category_id'), slug: textAt(inside, 'category_slug') })
  if (id === undefined) return category
  const topic = objectAt(inside, 'topic')
  return topicNode(hook, {
    id,
    title: textAt(inside, 'topic_title') ?? textAt(topic, 'title'),
    slug: textAt(inside, 'topic_slug') ?? textAt(topic, 'slug'),
    url: absoluteLink(hook.instance, textAt(inside, 'topic_url')),
    archetype: textAt(inside, 'topic_archetype') ?? textAt(topic, 'archetype'),
    parent: category,
  })
}

export function postNode(hook: Hook, post: Payload | undefined): TargetNode {
  const number = idAt(post, 'post_number')
  const topic = topicAround(hook, post)
  return toNode('post', {
    id: idAt(post, 'id'),
    display: number === undefined ? undefined : `#${number}`,
    url: absoluteLink(hook.instance, textAt(post, 'post_url')) ?? postLink(hook, post),
    metadata: known({
      number: numberAt(post, 'post_number'),
      post_type: numberAt(post, 'post_type'),
      action_code: textAt(post, 'action_code'),
      reply_to_post_number: numberAt(post, 'reply_to_post_number'),
      author: describe(authorOf(post)),
    }),
    parent: topic,
  })
}

/** The address of a post within its topic, by its number there. */
export function postLink({ instance }: Hook, inside: Payload | undefined): string | undefined {
  const topic = idAt(inside, 'topic_id')
  const number = idAt(inside, 'post_number')
  const slug = textAt(inside, 'topic_slug') ?? textAt(inside, 'slug')
  return topic === undefined || number === undefined ? undefined : topicLink(instance, slug, topic, number)
}

/** A slug of one hyphen means none. */
function topicLink(instance: Instance, slug: string | undefined, ...path: string[]): string | undefined {
  return linkTo(instance, 't', slug === '-' ? undefined : slug, ...path)
}

export function userNode(hook: Hook, user: Person | undefined): TargetNode {
  return toNode('user', {
    id: user?.id,
    display: displayOf(user),
    url: user?.username === undefined ? undefined : profileLink(hook.instance, user.username),
    metadata: known({ username: user?.username }),
    parent: siteNode(hook),
  })
}
