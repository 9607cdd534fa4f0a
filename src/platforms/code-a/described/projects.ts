/** Projects, and custom properties of repositories. */
import type { TargetNode } from '../../../model/events/event.js'
import { toNode } from '../../mapping/node.js'
import { idAt, memberOf, objectAt, objectsAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import { toOutcome } from '../../mapping/words.js'
import { toChanges } from '../changes.js'
import type { Hook } from '../hook.js'
import { gitHubPage } from '../links.js'
import { carrierNode, loginOf, ownerNode } from '../target-nodes.js'
import type { DescribedEvent, Description } from './description.js'

function describeProject(hook: Hook, project: Payload | undefined): Description {
  const number = idAt(project, 'number')
  return {
    display: textAt(project, 'title'),
    url: projectPage(hook, number),
    text: textAt(project, 'short_description'),
    facts: { state: textAt(project, 'state') },
  }
}

/** An item contains its type, but neither title nor project. A field change contains the project's number. */
function describeProjectItem(hook: Hook, item: Payload | undefined): Description {
  const field = objectAt(objectAt(hook.body, 'changes'), 'field_value')
  const number = idAt(field, 'project_number')
  const type = textAt(item, 'content_type')
    ?.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')
    .toLowerCase()
  const project = number === undefined ? undefined : projectNode(hook, number)
  return { display: type ?? 'item', url: project?.url, parent: project, facts: { item_type: type } }
}

function projectNode(hook: Hook, number: string): TargetNode {
  const url = projectPage(hook, number)
  return toNode('projects_v2', { display: `project ${number}`, url, metadata: { number }, parent: carrierNode(hook) })
}

function projectPage(hook: Hook, number: string | undefined): string | undefined {
  const login = loginOf(objectAt(hook.body, 'organization'))
  return number === undefined || login === undefined ? undefined : gitHubPage(hook, 'orgs', login, 'projects', number)
}

function describeStatusUpdate(_: Hook, update: Payload | undefined): Description {
  const state = toOutcome(textAt(update, 'status'))
  const until = textAt(update, 'target_date')
  const words = [state?.replaceAll('_', ' '), until && `until ${until}`]
  return {
    display: words.filter(Boolean).join(', ') || 'status update',
    text: textAt(update, 'body'),
    facts: { state },
  }
}

/** The name identifies a property, and cannot change. */
function describeProperty(hook: Hook): Description {
  const definition = objectAt(hook.body, 'definition')
  const name = textAt(definition, 'property_name')
  const owner = ownerNode(hook)
  const path =
    name === undefined || owner?.key === undefined ? undefined : `${owner.key.slice('owner:'.length)}/${name}`
  return {
    subjectId: name,
    target: toNode('custom_property', { id: path, display: name, url: webUrlAt(definition, 'url'), parent: owner }),
    text: textAt(definition, 'description'),
    facts: { property: name, value_type: textAt(definition, 'value_type') },
  }
}

function describePropertyValues({ body }: Hook): Description {
  const before = new Map(objectsAt(body, 'old_property_values').map(each => [textAt(each, 'property_name'), each]))
  const changed = objectsAt(body, 'new_property_values').flatMap(each => {
    const name = textAt(each, 'property_name')
    return name === undefined ? [] : [[name, memberOf(before.get(name), 'value'), memberOf(each, 'value')] as const]
  })
  const changes = toChanges(changed)
  return { facts: { changes: Object.keys(changes).length > 0 ? changes : undefined } }
}

/** A classic project, its columns and cards. */
function describeCard(_: Hook, card: Payload | undefined): Description {
  const [note] = textAt(card, 'note')?.split('\n', 1) ?? []
  return { display: note ?? 'card', text: textAt(card, 'note'), facts: { column: idAt(card, 'column_id') } }
}

const PROJECT_VERBS = ['created', 'updated', 'closed', 'reopened', 'deleted'] as const

export const PROJECTS: Readonly<Record<string, DescribedEvent>> = {
  project: { verbs: PROJECT_VERBS },
  project_card: { verbs: ['created', 'updated', 'converted', 'moved', 'deleted'], describe: describeCard },
  project_column: { verbs: ['created', 'updated', 'moved', 'deleted'] },
  projects_v2: { verbs: PROJECT_VERBS, describe: describeProject },
  projects_v2_item: {
    verbs: ['created', 'updated', 'archived', 'restored', 'converted', 'reordered', 'deleted'],
    describe: describeProjectItem,
  },
  projects_v2_status_update: { verbs: ['created', 'updated', 'deleted'], describe: describeStatusUpdate },
  custom_property: { verbs: ['created', 'updated', 'deleted', 'promote_to_enterprise'], describe: describeProperty },
  custom_property_promoted_to_enterprise: { verbs: ['promote_to_enterprise'], describe: describeProperty },
  custom_property_values: { verbs: ['updated'], describe: describePropertyValues },
}
