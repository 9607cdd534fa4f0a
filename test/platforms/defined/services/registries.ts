import { BY_QUERY, bodyHmac, hmac, QUERY, SECRET, type Service } from './service.js'

/** Services that publish software, and look for its faults. */
export const REGISTRIES: Service[] = [
  {
    name: 'Docker Hub',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      redact: ['/callback_url'],
      rules: [
        {
          kind: 'image.pushed',
          subject_id: '{/repository/repo_name}:{/push_data/tag}',
          actor: { id: '{/push_data/pusher}' },
          target: [
            { type: 'tag', id: '{/repository/repo_name}:{/push_data/tag}' },
            { type: 'repository', id: '{/repository/repo_name}', url: '{/repository/repo_url}' },
          ],
          time: '{/push_data/pushed_at}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          callback_url: 'https://registry.hub.docker.com/u/acme/app/hook/hidden/',
          push_data: { pushed_at: 1763640000, pusher: 'trustedbuilder', tag: 'latest' },
          repository: {
            repo_name: 'acme/app',
            name: 'app',
            namespace: 'acme',
            repo_url: 'https://hub.docker.com/r/acme/app',
          },
        },
        becomes: [['image.pushed', 'tag:acme/app:latest']],
      },
    ],
  },
  {
    name: 'npm',
    secret: SECRET,
    definition: {
      proof: bodyHmac('x-npm-signature', { prefix: 'sha256=' }),
      rules: [
        {
          kind: { template: '{/event}', map: { 'package:publish': 'package.published' }, default: 'package.changed' },
          subject_id: '{/name}@{/version}',
          actor: { id: '{/hookOwner/username}' },
          target: [{ type: 'package', id: '{/name}', display: '{/name}@{/version}' }],
          time: '{/time}',
          key: '{/event}:{/name}:{/version}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          event: 'package:publish',
          name: '@acme/app',
          type: 'package',
          version: '1.0.0',
          hookOwner: { username: 'ada' },
          time: 1763640000000,
        },
        sign: body => ({ 'x-npm-signature': `sha256=${hmac('sha256', 'hex', body)}` }),
        becomes: [['package.published', 'package:@acme/app']],
      },
    ],
  },
  {
    name: 'Snyk',
    secret: SECRET,
    definition: {
      proof: bodyHmac('X-Hub-Signature', { prefix: 'sha256=' }),
      delivery_id: '{header:x-snyk-transport-id}',
      ignore: [[{ at: 'header:x-snyk-event', starts_with: 'ping' }]],
      each: '/newIssues',
      rules: [
        {
          kind: 'issue.found',
          subject_id: '{./id}',
          target: [
            { type: 'issue', id: '{/project/id}/{./id}', display: '{./issueData/title}', url: '{./issueData/url}' },
            { type: 'project', id: '{/project/id}', display: '{/project/name}' },
          ],
          text: '{./issueData/severity}',
          key: '{/project/id}:{./id}',
        },
      ],
    },
    deliveries: [
      {
        headers: { 'x-snyk-event': 'project_snapshot/v0', 'x-snyk-transport-id': 't1' },
        body: {
          project: { id: 'p1', name: 'acme/app' },
          newIssues: [
            {
              id: 'npm:ms:20170412',
              issueType: 'vuln',
              issueData: { title: 'ReDoS', severity: 'low', url: 'https://snyk.io/vuln/1' },
            },
          ],
          removedIssues: [],
        },
        sign: body => ({ 'x-hub-signature': `sha256=${hmac('sha256', 'hex', body)}` }),
        becomes: [['issue.found', 'issue:p1/npm:ms:20170412']],
      },
    ],
  },
  {
    name: 'SonarQube',
    secret: SECRET,
    definition: {
      proof: bodyHmac('X-Sonar-Webhook-HMAC-SHA256'),
      rules: [
        {
          kind: 'analysis.finished',
          subject_id: '{/taskId}',
          outcome: { template: '{/qualityGate/status}', map: { OK: 'succeeded', ERROR: 'failed' } },
          target: [{ type: 'project', id: '{/project/key}', display: '{/project/name}', url: '{/project/url}' }],
          time: '{/analysedAt}',
          key: '{/taskId}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          taskId: 'AVh21JS2JepAEhwQ-b3u',
          status: 'SUCCESS',
          analysedAt: '2026-11-20T13:00:00+0100',
          project: { key: 'app', name: 'App', url: 'https://sonar.example.org/dashboard?id=app' },
          qualityGate: { name: 'Sonar way', status: 'OK', conditions: [] },
        },
        sign: body => ({ 'x-sonar-webhook-hmac-sha256': hmac('sha256', 'hex', body) }),
        becomes: [['analysis.finished', 'project:app']],
      },
    ],
  },
  {
    name: 'Harbor',
    secret: SECRET,
    definition: {
      proof: { type: 'token', header: 'Authorization' },
      each: '/event_data/resources',
      rules: [
        {
          kind: { template: '{/type}', map: { PUSH_ARTIFACT: 'artifact.pushed' }, default: 'artifact.changed' },
          subject_id: '{./digest}',
          actor: { id: '{/operator}' },
          target: [
            { type: 'artifact', id: '{/event_data/repository/repo_full_name}:{./tag}' },
            { type: 'repository', id: '{/event_data/repository/repo_full_name}' },
          ],
          time: '{/occur_at}',
          key: '{/type}:{./digest}:{./tag}:{/occur_at}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          type: 'PUSH_ARTIFACT',
          occur_at: 1763640000,
          operator: 'admin',
          event_data: {
            resources: [{ digest: 'sha256:8a9e', tag: 'latest', resource_url: 'hub.example.org/acme/app:latest' }],
            repository: { name: 'app', namespace: 'acme', repo_full_name: 'acme/app' },
          },
        },
        sign: () => ({ authorization: SECRET }),
        becomes: [['artifact.pushed', 'artifact:acme/app:latest']],
      },
    ],
  },
  {
    name: 'Quay',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      rules: [
        {
          kind: 'repository.pushed',
          subject_id: '{/repository}',
          target: [{ type: 'repository', id: '{/repository}', url: '{/homepage}' }],
          text: '{/updated_tags/0}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          name: 'app',
          repository: 'acme/app',
          namespace: 'acme',
          docker_url: 'quay.io/acme/app',
          homepage: 'https://quay.io/repository/acme/app',
          updated_tags: ['latest'],
        },
        becomes: [['repository.pushed', 'repository:acme/app']],
      },
    ],
  },
]
