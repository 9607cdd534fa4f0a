/** Presets for services in which people work. */
import type { Preset } from './presets.js'

export const stripe: Preset = {
  description: 'Stripe',
  proof: {
    type: 'hmac',
    algorithm: 'sha256',
    header: 'Stripe-Signature',
    encoding: 'hex',
    prefix: 'v1=',
    separator: ',',
    signed: '{timestamp}.{body}',
    timestamp: { header: 'Stripe-Signature', prefix: 't=' },
  },
  delivery_id: '{/id}',
  rules: [
    {
      when: [{ at: '/object', is: 'event' }],
      kind: '{/type}',
      subject_id: ['{/data/object/id}', '{/id}'],
      subject_type: '{/data/object/object}',
      target: [
        { type: 'object', id: '{/data/object/id}', display: '{/data/object/object} {/data/object/id}' },
        { type: 'account', id: '{/account}' },
      ],
      text: '{/data/object/description}',
      time: '{/created}',
      key: '{/id}',
    },
  ],
}

export const slack: Preset = {
  description: 'Slack',
  proof: { type: 'slack' },
  redact: ['/token'],
  delivery_id: '{/event_id}',
  challenge: { when: [{ at: '/type', is: 'url_verification' }], answer: { challenge: '{/challenge}' } },
  ignore: [[{ at: '/type', is: 'app_rate_limited' }]],
  rules: [
    {
      when: [
        { at: '/type', is: 'event_callback' },
        { at: '/event/type', is: ['message', 'app_mention'] },
      ],
      kind: {
        template: '{/event/subtype}',
        map: { message_changed: 'message.edited', message_deleted: 'message.deleted' },
        default: 'message.created',
      },
      subject_id: ['{/event/message/ts}', '{/event/deleted_ts}', '{/event/ts}'],
      actor: { id: ['{/event/user}', '{/event/message/user}', '{/event/bot_id}'] },
      target: [
        {
          type: 'message',
          id: [
            '{/event/channel}/{/event/message/ts}',
            '{/event/channel}/{/event/deleted_ts}',
            '{/event/channel}/{/event/ts}',
          ],
        },
        { type: 'thread', id: '{/event/channel}/{/event/thread_ts}' },
        { type: 'channel', id: '{/event/channel}' },
        { type: 'workspace', id: '{/team_id}' },
      ],
      text: ['{/event/message/text}', '{/event/text}'],
      time: ['{/event/event_ts}', '{/event_time}'],
      key: '{/event_id}',
    },
    {
      when: [{ at: '/type', is: 'event_callback' }],
      kind: {
        template: '{/event/type}',
        map: {
          reaction_added: 'reaction.added',
          reaction_removed: 'reaction.removed',
          channel_created: 'channel.created',
          channel_rename: 'channel.renamed',
          channel_deleted: 'channel.deleted',
          channel_archive: 'channel.archived',
          member_joined_channel: 'member.joined',
          member_left_channel: 'member.left',
        },
        default: 'workspace.changed',
      },
      subject_id: ['{/event/item/ts}', '{/event/channel/id}', '{/event/channel}', '{/event/user}', '{/event_id}'],
      actor: { id: ['{/event/user}', '{/event/channel/creator}'] },
      target: [
        { type: 'message', id: '{/event/item/channel}/{/event/item/ts}' },
        {
          type: 'channel',
          id: ['{/event/item/channel}', '{/event/channel/id}', '{/event/channel}'],
          display: '{/event/channel/name}',
        },
        { type: 'workspace', id: '{/team_id}' },
      ],
      text: '{/event/reaction}',
      time: ['{/event/event_ts}', '{/event_time}'],
      key: '{/event_id}',
    },
  ],
}

export const mattermost: Preset = {
  description: 'Mattermost',
  proof: { type: 'body', at: '/token' },
  redact: ['/token'],
  rules: [
    {
      kind: 'message.created',
      subject_id: '{/post_id}',
      actor: { id: '{/user_id}', display: '{/user_name}' },
      target: [
        { type: 'message', id: '{/post_id}' },
        { type: 'channel', id: '{/channel_id}', display: '{/channel_name}' },
        { type: 'team', id: '{/team_id}', display: '{/team_domain}' },
      ],
      title: '{/team_domain} > {/channel_name}',
      text: '{/text}',
      time: '{/timestamp}',
      key: 'message:{/post_id}',
    },
  ],
}

/** Target of events about an issue and its parts. */
const JIRA_ISSUE = { type: 'issue', id: '{/issue/id}', display: '{/issue/key}' }
const JIRA_PROJECT = {
  type: 'project',
  id: ['{/issue/fields/project/id}', '{/issue/fields/project/key}'],
  display: '{/issue/fields/project/name}',
}

export const jira: Preset = {
  description: 'Jira',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Hub-Signature', prefix: 'sha256=', encoding: 'hex' },
  delivery_id: '{header:x-atlassian-webhook-identifier}',
  rules: [
    {
      when: [{ at: '/webhookEvent', is: ['comment_created', 'comment_updated', 'comment_deleted'] }],
      kind: {
        template: '{/webhookEvent}',
        map: {
          comment_created: 'comment.created',
          comment_updated: 'comment.updated',
          comment_deleted: 'comment.deleted',
        },
      },
      subject_id: '{/comment/id}',
      actor: {
        id: ['{/comment/updateAuthor/accountId}', '{/comment/author/accountId}', '{/comment/author/name}'],
        display: ['{/comment/updateAuthor/displayName}', '{/comment/author/displayName}'],
      },
      target: [{ type: 'comment', id: '{/comment/id}' }, JIRA_ISSUE, JIRA_PROJECT],
      title: '{/issue/key} {/issue/fields/summary}',
      text: '{/comment/body}',
      time: '{/timestamp}',
      key: '{/webhookEvent}:{/comment/id}:{/timestamp}',
    },
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

export const linear: Preset = {
  description: 'Linear',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'Linear-Signature', encoding: 'hex' },
  delivery_id: '{header:linear-delivery}',
  rules: [
    {
      when: [{ at: '/data/id', exists: true }],
      kind: [{ template: '{/type}.{/action}', map: linearKinds() }, '{/type}.{/action}'],
      subject_id: '{/data/id}',
      actor: {
        id: ['{/actor/id}', '{/data/creatorId}', '{/data/userId}'],
        display: '{/actor/name}',
        email: '{/actor/email}',
      },
      target: [
        { type: 'comment', id: '{/data/issue/id}/{/data/id}' },
        {
          type: 'issue',
          id: ['{/data/issue/id}', '{/data/id}'],
          display: ['{/data/identifier}', '{/data/issue/title}'],
          url: '{/url}',
        },
        { type: 'project', id: '{/data/project/id}', display: '{/data/project/name}' },
        { type: 'team', id: ['{/data/team/id}', '{/data/teamId}'], display: '{/data/team/name}' },
      ],
      title: ['{/data/identifier} {/data/title}', '{/data/title}', '{/data/issue/title}', '{/data/name}'],
      text: ['{/data/body}', '{/data/description}'],
      url: '{/url}',
      time: ['{/webhookTimestamp}', '{/createdAt}'],
      key: ['{/type}:{/data/id}:{/action}:{/data/updatedAt}', '{/type}:{/data/id}:{/action}:{/createdAt}'],
    },
  ],
}

/** Kinds of Linear's actions, which are verbs in the present tense. */
function linearKinds(): Record<string, string> {
  const verbs = [
    ['create', 'created'],
    ['update', 'updated'],
    ['remove', 'deleted'],
  ] as const
  const types = [
    'Issue',
    'Comment',
    'Project',
    'ProjectUpdate',
    'Cycle',
    'IssueLabel',
    'Reaction',
    'Document',
    'Attachment',
  ]
  return Object.fromEntries(
    types.flatMap(type => verbs.map(([action, verb]) => [`${type}.${action}`, `${toSnakeCase(type)}.${verb}`])),
  )
}

function toSnakeCase(text: string): string {
  return text.replace(/(?<=[a-z])(?=[A-Z])/gu, '_').toLowerCase()
}

const BITBUCKET_ACTOR = { id: ['{/actor/uuid}', '{/actor/account_id}'], display: '{/actor/display_name}' }
const BITBUCKET_REPOSITORY = {
  type: 'repository',
  id: '{/repository/full_name}',
  display: '{/repository/full_name}',
  url: '{/repository/links/html/href}',
}
const BITBUCKET_REQUEST = {
  type: 'pull_request',
  id: '{/repository/full_name}/{/pullrequest/id}',
  display: '#{/pullrequest/id} {/pullrequest/title}',
  url: '{/pullrequest/links/html/href}',
}

export const bitbucket: Preset = {
  description: 'Bitbucket Cloud',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Hub-Signature', prefix: 'sha256=', encoding: 'hex' },
  delivery_id: '{header:x-request-uuid}',
  rules: [
    {
      when: [
        { at: '/comment/id', exists: true },
        { at: '/pullrequest/id', exists: true },
      ],
      kind: {
        template: '{header:x-event-key}',
        map: {
          'pullrequest:comment_created': 'comment.created',
          'pullrequest:comment_updated': 'comment.updated',
          'pullrequest:comment_deleted': 'comment.deleted',
        },
        default: 'comment.changed',
      },
      subject_id: '{/comment/id}',
      actor: BITBUCKET_ACTOR,
      target: [
        { type: 'comment', id: '{/comment/id}', url: '{/comment/links/html/href}' },
        BITBUCKET_REQUEST,
        BITBUCKET_REPOSITORY,
      ],
      title: '{/repository/full_name}#{/pullrequest/id} {/pullrequest/title}',
      text: '{/comment/content/raw}',
      url: '{/comment/links/html/href}',
      time: ['{/comment/updated_on}', '{/comment/created_on}'],
      key: '{header:x-event-key}:{/comment/id}:{/comment/updated_on}',
    },
    {
      when: [{ at: '/pullrequest/id', exists: true }],
      kind: {
        template: '{header:x-event-key}',
        map: {
          'pullrequest:created': 'pull_request.opened',
          'pullrequest:updated': 'pull_request.updated',
          'pullrequest:fulfilled': 'pull_request.merged',
          'pullrequest:rejected': 'pull_request.closed',
          'pullrequest:approved': 'pull_request.approved',
          'pullrequest:unapproved': 'pull_request.unapproved',
        },
        default: 'pull_request.changed',
      },
      subject_id: '{/pullrequest/id}',
      outcome: { template: '{/pullrequest/state}', map: { MERGED: 'merged', DECLINED: 'closed' } },
      actor: BITBUCKET_ACTOR,
      target: [BITBUCKET_REQUEST, BITBUCKET_REPOSITORY],
      title: '{/repository/full_name}#{/pullrequest/id} {/pullrequest/title}',
      text: ['{/pullrequest/description}', '{/pullrequest/summary/raw}'],
      url: '{/pullrequest/links/html/href}',
      time: ['{/approval/date}', '{/pullrequest/updated_on}'],
      key: '{header:x-event-key}:{/repository/uuid}:{/pullrequest/id}:{/pullrequest/updated_on}:{/actor/uuid}',
    },
    {
      when: [{ at: '/push/changes', exists: true }],
      kind: 'repository.pushed',
      subject_id: '{/repository/full_name}',
      actor: BITBUCKET_ACTOR,
      target: [
        {
          type: 'branch',
          id: [
            '{/repository/full_name}/{/push/changes/0/new/name}',
            '{/repository/full_name}/{/push/changes/0/old/name}',
          ],
          display: ['{/push/changes/0/new/name}', '{/push/changes/0/old/name}'],
        },
        BITBUCKET_REPOSITORY,
      ],
      text: '{/push/changes/0/commits/0/message}',
      url: ['{/push/changes/0/links/html/href}', '{/repository/links/html/href}'],
      time: '{/push/changes/0/new/target/date}',
    },
  ],
}
