/** Presets for services in which people work. */
import type { Preset } from './presets.js'

type Rule = Preset['rules'][number]

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

const SLACK_CHANGED = { at: '/event/subtype', is: 'message_changed' }
/** Then a change of a person's message is not the person's: Slack has added a preview of a link, or has counted a reply. */
const SLACK_UNEDITED = [
  { at: '/event/message/edited', exists: false },
  { at: '/event/message/bot_id', exists: false },
]

export const slack: Preset = {
  description: 'Slack',
  proof: { type: 'slack' },
  redact: ['/token'],
  delivery_id: '{/event_id}',
  challenge: { when: [{ at: '/type', is: 'url_verification' }], answer: { challenge: '{/challenge}' } },
  ignore: [
    [{ at: '/type', is: 'app_rate_limited' }],
    [{ at: '/event/subtype', is: 'message_replied' }],
    [SLACK_CHANGED, ...SLACK_UNEDITED, { at: '/event/message/subtype', exists: false }],
    [
      SLACK_CHANGED,
      ...SLACK_UNEDITED,
      { at: '/event/message/subtype', is: ['file_share', 'me_message', 'thread_broadcast'] },
    ],
  ],
  rules: [
    // The payload does not name who deleted the message.
    slackMessageRule([{ at: '/event/subtype', is: 'message_deleted' }], '/event/deleted_ts', {
      kind: 'message.deleted',
      key: 'message:{/event/channel}/{/event/deleted_ts}:deleted',
    }),
    // A message with replies leaves a tombstone.
    slackMessageRule([SLACK_CHANGED, { at: '/event/message/subtype', is: 'tombstone' }], '/event/message/ts', {
      kind: 'message.deleted',
      key: 'message:{/event/channel}/{/event/message/ts}:deleted',
    }),
    // The time of an edit is in seconds, so it cannot be the key.
    slackMessageRule([SLACK_CHANGED], '/event/message/ts', {
      kind: 'message.updated',
      actor: { id: ['{/event/message/edited/user}', '{/event/message/bot_id}'] },
      text: '{/event/message/text}',
      key: '{/event_id}',
    }),
    // A mention of the app arrives as `message` and as `app_mention`, and again as `app_mention` after an edit. The edit
    // may have added the mention, so it is not ignored: it may be all that the app receives of the message.
    slackMessageRule([{ at: '/event/type', is: ['message', 'app_mention'] }], '/event/ts', {
      kind: 'message.created',
      actor: { id: ['{/event/user}', '{/event/bot_id}'] },
      text: '{/event/text}',
      key: 'message:{/event/channel}/{/event/ts}',
    }),
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

/** @param ts place of the message's id, which is unique in its channel */
function slackMessageRule(
  when: Rule['when'] & object,
  ts: string,
  rule: Pick<Rule, 'kind' | 'actor' | 'text' | 'key'>,
): Rule {
  return {
    when: [{ at: '/type', is: 'event_callback' }, ...when],
    subject_id: `{${ts}}`,
    target: [
      { type: 'message', id: `{/event/channel}/{${ts}}` },
      {
        type: 'thread',
        id: ['/event/thread_ts', '/event/message/thread_ts', '/event/previous_message/thread_ts'].map(
          thread => `{/event/channel}/{${thread}}`,
        ),
      },
      { type: 'channel', id: '{/event/channel}' },
      { type: 'workspace', id: '{/team_id}' },
    ],
    time: ['{/event/event_ts}', '{/event_time}'],
    ...rule,
  }
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
const BITBUCKET_REQUEST_KEY =
  '{header:x-event-key}:{/repository/uuid}:{/pullrequest/id}:{/pullrequest/updated_on}:{/actor/uuid}'

export const bitbucket: Preset = {
  description: 'Bitbucket Cloud',
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Hub-Signature', prefix: 'sha256=', encoding: 'hex' },
  delivery_id: '{header:x-request-uuid}',
  each: '/push/changes',
  rules: [
    // Resolving a comment changes neither its text nor when it was updated. Reopening it has no time.
    bitbucketCommentRule(
      [{ at: 'header:x-event-key', is: ['pullrequest:comment_resolved', 'pullrequest:comment_reopened'] }],
      {
        time: '{/comment/resolution/created_on}',
        key: '{header:x-event-key}:{/comment/id}:{/comment/resolution/created_on}',
      },
    ),
    bitbucketCommentRule([], {
      time: ['{/comment/updated_on}', '{/comment/created_on}'],
      key: '{header:x-event-key}:{/comment/id}:{/comment/updated_on}',
    }),
    {
      when: [{ at: '/pullrequest/id', exists: true }],
      kind: {
        template: '{header:x-event-key}',
        map: {
          'pullrequest:created': 'pull_request.created',
          'pullrequest:updated': 'pull_request.updated',
          'pullrequest:fulfilled': 'pull_request.merged',
          'pullrequest:rejected': 'pull_request.closed',
          'pullrequest:approved': 'pull_request.approved',
          'pullrequest:unapproved': 'pull_request.unapproved',
        },
        default: 'pull_request.changed',
      },
      subject_id: BITBUCKET_REQUEST.id,
      outcome: { template: '{/pullrequest/state}', map: { MERGED: 'merged', DECLINED: 'closed' } },
      actor: BITBUCKET_ACTOR,
      target: [BITBUCKET_REQUEST, BITBUCKET_REPOSITORY],
      title: '{/repository/full_name}#{/pullrequest/id} {/pullrequest/title}',
      text: ['{/pullrequest/description}', '{/pullrequest/summary/raw}'],
      url: '{/pullrequest/links/html/href}',
      time: ['{/approval/date}', '{/changes_request/date}', '{/pullrequest/updated_on}'],
      // An approval, or a request for changes, does not change when the pull request was updated.
      key: [
        `${BITBUCKET_REQUEST_KEY}:{/approval/date}`,
        `${BITBUCKET_REQUEST_KEY}:{/changes_request/date}`,
        BITBUCKET_REQUEST_KEY,
      ],
    },
    bitbucketPushRule('tag', [{ at: './new/type', is: 'tag' }]),
    bitbucketPushRule('tag', [{ at: './old/type', is: 'tag' }]),
    bitbucketPushRule('branch', []),
  ],
}

function bitbucketCommentRule(when: Rule['when'] & object, rule: Pick<Rule, 'time' | 'key'>): Rule {
  return {
    when: [{ at: '/comment/id', exists: true }, { at: '/pullrequest/id', exists: true }, ...when],
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
    ...rule,
  }
}

/** No time: that of a commit may be long before its push. */
function bitbucketPushRule(type: 'branch' | 'tag', when: Rule['when'] & object): Rule {
  return {
    when: [{ at: '/push/changes', exists: true }, ...when],
    kind: { template: '{./closed}', map: { true: 'push.deleted' }, default: 'push.created' },
    subject_id: '{/repository/full_name}',
    actor: BITBUCKET_ACTOR,
    target: [
      {
        type,
        id: ['{/repository/full_name}/{./new/name}', '{/repository/full_name}/{./old/name}'],
        display: ['{./new/name}', '{./old/name}'],
      },
      BITBUCKET_REPOSITORY,
    ],
    text: '{./commits/0/message}',
    url: ['{./links/html/href}', '{/repository/links/html/href}'],
  }
}
