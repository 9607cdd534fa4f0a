import type { PlatformSource } from '../model/platforms/platform-source.js'

/** How to create a hook on a platform, by the labels of its pages. */
interface SetupGuide {
  place: readonly string[]
  /** A value may contain `<url>` and `<secret>`. */
  fields: readonly { name: string; value: string; isForTls?: true }[]
  events: readonly string[]
  /** Where the platform shows the responses to its deliveries. */
  deliveryLog: string
  notes: readonly string[]
  /** Who creates the secret. */
  secretMadeBy: 'operator' | 'platform'
}

export const SETUP_GUIDES: Readonly<Record<PlatformSource, SetupGuide>> = {
  chat: {
    place: ['Personal settings', 'Bots', 'Add a new bot'],
    fields: [
      { name: 'Bot type', value: 'Outgoing webhook' },
      { name: 'Endpoint URL', value: '<url>' },
      { name: 'Webhook format', value: 'Zulip' },
    ],
    events: [],
    deliveryLog: 'the conversation, where the platform reports what was refused',
    notes: [
      'The platform makes the secret: it is the "token" in the zuliprc file of the bot, which can be downloaded next to it.',
      'It delivers messages that mention the bot, and direct messages to it. For whole topics there is capture.',
    ],
    secretMadeBy: 'platform',
  },
  forum: {
    place: ['Admin', 'API', 'Webhooks', 'New webhook'],
    fields: [
      { name: 'Payload URL', value: '<url>' },
      { name: 'Content Type', value: 'application/json' },
      { name: 'Secret', value: '<secret>' },
      { name: 'Active', value: 'yes' },
    ],
    events: [
      ...['Topic Event', 'Post Event', 'Like Event', 'Solved Event', 'Assign Event', 'Topic Voting Event'],
      ...['Category Event', 'Tag Event', 'Group Event', 'Group User Event', 'User Event', 'User Badge Event'],
      ...['User Promoted Event', 'Reviewable Event', 'Notification Event', 'Chat Message Event'],
    ],
    deliveryLog: 'the list of events on the page of the webhook',
    notes: [
      '"Send me everything" works as well. Some of the events exist only with their plugin. Newer ' +
        'versions have the page under Admin, Advanced, Webhooks.',
    ],
    secretMadeBy: 'operator',
  },
  code_a: {
    place: ['Settings', 'Webhooks', 'Add webhook'],
    fields: [
      { name: 'Payload URL', value: '<url>' },
      { name: 'Content type', value: 'application/json' },
      { name: 'Secret', value: '<secret>' },
      { name: 'Active', value: 'yes' },
    ],
    events: [
      ...['Issues', 'Issue comments', 'Pull requests', 'Pull request reviews', 'Pull request review comments'],
      ...['Pull request review threads', 'Pushes', 'Commit comments', 'Branch or tag creation'],
      ...['Branch or tag deletion', 'Releases', 'Discussions', 'Discussion comments', 'Check runs', 'Check suites'],
      ...['Workflow runs', 'Workflow jobs', 'Statuses', 'Deployments', 'Deployment statuses', 'Packages'],
      ...['Stars', 'Forks', 'Wiki', 'Page builds', 'Visibility changes'],
    ],
    deliveryLog: '"Recent Deliveries" on the page of the webhook',
    notes: [
      '"Send me everything" will do as well. A hook of an organization covers all of its repositories.',
      'Gitea and Forgejo: Settings, Webhooks, Add webhook, then the one named after the program itself; the address is ' +
        'called Target URL, its method is POST, and "All events" is what to choose. Gogs: likewise.',
    ],
    secretMadeBy: 'operator',
  },
  code_b: {
    place: ['Settings', 'Webhooks', 'Add new webhook'],
    fields: [
      { name: 'URL', value: '<url>' },
      { name: 'Secret token', value: '<secret>' },
      { name: 'SSL verification', value: 'Enable', isForTls: true },
    ],
    events: [
      ...['Push events', 'Tag push events', 'Comments', 'Confidential comments', 'Issues events'],
      ...['Confidential issues events', 'Merge request events', 'Job events', 'Pipeline events', 'Wiki page events'],
      ...['Deployment events', 'Feature flag events', 'Releases events', 'Milestone events', 'Emoji events'],
      ...['Resource access token events', 'Vulnerability events', 'Member events', 'Subgroup events', 'Project events'],
    ],
    deliveryLog: '"Recent events" on the page of the webhook',
    notes: [
      'Some of the events exist only for groups, or with a paid plan. Hooks of the whole instance are under Admin, ' +
        'System hooks.',
      'Newer versions can sign: a signing token (whsec_…) proves more than a secret token. Put it into the same setting.',
    ],
    secretMadeBy: 'operator',
  },
}
