/** Presets for issue trackers. */
import type { Preset } from './presets.js'

/** Target of events about an issue and its parts. */
const JIRA_ISSUE = { type: 'issue', id: '{/issue/id}', display: '{/issue/key}' }
const JIRA_PROJECT = {
  type: 'project',
  id: ['{/issue/fields/project/id}', '{/issue/fields/project/key}'],
  display: '{/issue/fields/project/name}',
}
const JIRA_COMMENT = {
  subject_id: '{/comment/id}',
  target: [{ type: 'comment', id: '{/comment/id}' }, JIRA_ISSUE, JIRA_PROJECT],
  title: '{/issue/key} {/issue/fields/summary}',
  text: '{/comment/body}',
  time: '{/timestamp}',
  key: '{/webhookEvent}:{/comment/id}:{/timestamp}',
}

export const jira: Preset = {
  description: 'Jira',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Hub-Signature', prefix: 'sha256=', encoding: 'hex' },
  delivery_id: '{header:x-atlassian-webhook-identifier}',
  rules: [
    {
      when: [{ at: '/webhookEvent', is: ['comment_created', 'comment_updated'] }],
      kind: {
        template: '{/webhookEvent}',
        map: { comment_created: 'comment.created', comment_updated: 'comment.updated' },
      },
      actor: {
        // Jira Data Center has names in place of account ids.
        id: [
          ...['{/comment/updateAuthor/accountId}', '{/comment/updateAuthor/name}'],
          ...['{/comment/author/accountId}', '{/comment/author/name}'],
        ],
        display: ['{/comment/updateAuthor/displayName}', '{/comment/author/displayName}'],
      },
      ...JIRA_COMMENT,
    },
    // The payload names the comment's author and its last editor, not who deleted it.
    { when: [{ at: '/webhookEvent', is: 'comment_deleted' }], kind: 'comment.deleted', ...JIRA_COMMENT },
    {
      when: [{ at: '/webhookEvent', is: ['jira:issue_created', 'jira:issue_updated', 'jira:issue_deleted'] }],
      kind: {
        template: '{/webhookEvent}',
        map: {
          'jira:issue_created': 'issue.created',
          'jira:issue_updated': 'issue.updated',
          'jira:issue_deleted': 'issue.deleted',
        },
      },
      subject_id: '{/issue/id}',
      actor: {
        id: ['{/user/accountId}', '{/user/name}'],
        display: '{/user/displayName}',
        email: '{/user/emailAddress}',
      },
      target: [JIRA_ISSUE, JIRA_PROJECT],
      title: '{/issue/key} {/issue/fields/summary}',
      text: '{/issue/fields/description}',
      time: '{/timestamp}',
      key: '{/webhookEvent}:{/issue/id}:{/timestamp}',
    },
  ],
}

/** Types whose actions are verbs in the present tense. The target of each begins with the object itself. */
const LINEAR_TYPES = [
  'Issue',
  'Comment',
  'Project',
  'ProjectUpdate',
  'Cycle',
  'IssueLabel',
  'Reaction',
  'Document',
  'Attachment',
  'Initiative',
  'InitiativeUpdate',
  'Customer',
  'CustomerNeed',
  'User',
]
const LINEAR_VERBS = { create: 'created', update: 'updated', remove: 'deleted' }
const LINEAR_REACTION_VERBS = { create: 'added', update: 'updated', remove: 'removed' }

const LINEAR_EVENT = {
  subject_id: '{/data/id}',
  // The creator of an object may differ from who changed it.
  actor: { id: '{/actor/id}', display: '{/actor/name}', email: '{/actor/email}' },
  title: ['{/data/identifier} {/data/title}', '{/data/title}', '{/data/issue/title}', '{/data/name}'],
  text: ['{/data/body}', '{/data/description}'],
  url: '{/url}',
  // `webhookTimestamp` is the time of the delivery.
  time: ['{/createdAt}', '{/webhookTimestamp}'],
  // Not every update changes `updatedAt`. A redelivery repeats `createdAt`, the time of the action.
  key: [
    '{/type}:{/data/id}:{/action}:{/data/updatedAt}:{/createdAt}',
    '{/type}:{/data/id}:{/action}:{/data/updatedAt}',
    '{/type}:{/data/id}:{/action}:{/createdAt}',
  ],
}

export const linear: Preset = {
  description: 'Linear',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'Linear-Signature', encoding: 'hex' },
  delivery_id: '{header:linear-delivery}',
  rules: [
    ...LINEAR_TYPES.map(linearRule),
    { when: [{ at: '/data/id', exists: true }], kind: '{/type}.{/action}', ...LINEAR_EVENT },
  ],
}

function linearRule(type: string): Preset['rules'][number] {
  const word = toSnakeCase(type)
  const around = [
    {
      type: 'issue',
      id: ['{/data/issue/id}', '{/data/issueId}'],
      display: '{/data/issue/title}',
      url: '{/data/issue/url}',
    },
    { type: 'project', id: '{/data/project/id}', display: '{/data/project/name}' },
    { type: 'team', id: ['{/data/team/id}', '{/data/teamId}'], display: '{/data/team/name}' },
  ].filter(node => node.type !== word)
  return {
    when: [
      { at: '/type', is: type },
      { at: '/data/id', exists: true },
    ],
    kind: [{ template: '{/type}.{/action}', map: linearKinds(type, word) }, '{/type}.{/action}'],
    target: [
      {
        type: word,
        id: type === 'Comment' ? ['{/data/issue/id}/{/data/id}', '{/data/id}'] : '{/data/id}',
        display: ['{/data/identifier}', '{/data/name}', '{/data/title}', '{/data/emoji}'],
        url: '{/url}',
      },
      ...around,
    ],
    ...LINEAR_EVENT,
  }
}

function linearKinds(type: string, word: string): Record<string, string> {
  const verbs = type === 'Reaction' ? LINEAR_REACTION_VERBS : LINEAR_VERBS
  return Object.fromEntries(Object.entries(verbs).map(([action, verb]) => [`${type}.${action}`, `${word}.${verb}`]))
}

function toSnakeCase(text: string): string {
  return text.replace(/(?<=[a-z])(?=[A-Z])/gu, '_').toLowerCase()
}
