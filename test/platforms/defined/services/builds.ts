import { BY_QUERY, bodyHmac, hmac, QUERY, SECRET, type Service, seconds } from './service.js'

/** Services that build, scan and publish software. */
export const BUILDS: Service[] = [
  {
    name: 'Azure DevOps',
    secret: SECRET,
    definition: {
      proof: { type: 'basic', username: 'hook' },
      rules: [
        {
          kind: '{/eventType}',
          subject_id: ['{/resource/pullRequestId}', '{/resource/pushId}', '{/resource/id}', '{/id}'],
          actor: { id: '{/resource/pushedBy/uniqueName}', display: '{/resource/pushedBy/displayName}' },
          target: [
            { type: 'repository', id: '{/resource/repository/id}', display: '{/resource/repository/name}' },
            { type: 'project', id: '{/resource/repository/project/id}' },
          ],
          text: '{/message/text}',
          time: '{/createdDate}',
          key: '{/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          id: '03c164c2',
          eventType: 'git.push',
          publisherId: 'tfs',
          message: { text: 'Jamal Hartnett pushed updates' },
          resource: {
            pushId: 14,
            pushedBy: { displayName: 'Jamal Hartnett', uniqueName: 'jamal@example.org' },
            repository: { id: '278d5cd2', name: 'Fabrikam', project: { id: '6ce954b1' } },
          },
          createdDate: '2026-11-20T13:00:00.2546382Z',
        },
        sign: () => ({ authorization: `Basic ${Buffer.from(`hook:${SECRET}`).toString('base64')}` }),
        becomes: [['git.push', 'repository:278d5cd2']],
      },
    ],
  },
  {
    name: 'Vercel',
    secret: SECRET,
    definition: {
      proof: { type: 'hmac', algorithm: 'sha1', header: 'x-vercel-signature', encoding: 'hex' },
      rules: [
        {
          kind: '{/type}',
          subject_id: '{/payload/deployment/id}',
          actor: { id: '{/payload/user/id}' },
          target: [
            { type: 'deployment', id: '{/payload/deployment/id}', url: '{/payload/links/deployment}' },
            { type: 'project', id: '{/payload/project/id}' },
          ],
          time: '{/createdAt}',
          key: '{/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          id: 'uev_1',
          type: 'deployment.created',
          createdAt: 1763640000000,
          payload: {
            user: { id: 'u1' },
            deployment: { id: 'dpl_1', url: 'app.vercel.app', name: 'app' },
            links: { deployment: 'https://vercel.com/acme/app/1' },
            project: { id: 'prj_1' },
          },
        },
        sign: body => ({ 'x-vercel-signature': hmac('sha1', 'hex', body) }),
        becomes: [['deployment.created', 'deployment:dpl_1']],
      },
    ],
  },
  {
    name: 'Netlify',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      rules: [
        {
          kind: 'deploy.{/state}',
          subject_id: '{/id}',
          outcome: { template: '{/state}', map: { ready: 'succeeded', error: 'failed' } },
          target: [
            { type: 'deploy', id: '{/id}', url: '{/deploy_ssl_url}' },
            { type: 'site', id: '{/site_id}', display: '{/name}' },
          ],
          text: '{/title}',
          time: '{/updated_at}',
          key: '{/id}:{/state}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        headers: { 'x-netlify-event': 'deploy_created' },
        body: {
          id: '5e1',
          site_id: 's1',
          state: 'ready',
          name: 'app',
          deploy_ssl_url: 'https://app.netlify.app',
          title: 'Fix',
          updated_at: '2026-11-20T13:00:00.000Z',
        },
        becomes: [['deploy.ready', 'deploy:5e1']],
      },
    ],
  },
  {
    name: 'CircleCI',
    secret: SECRET,
    definition: {
      proof: { ...bodyHmac('circleci-signature', { prefix: 'v1=' }), separator: ',' },
      rules: [
        {
          kind: {
            template: '{/type}',
            map: { 'workflow-completed': 'workflow.completed', 'job-completed': 'job.completed' },
          },
          subject_id: ['{/job/id}', '{/workflow/id}'],
          outcome: ['{/job/status}', '{/workflow/status}'],
          target: [
            { type: 'workflow', id: '{/workflow/id}', display: '{/workflow/name}', url: '{/workflow/url}' },
            { type: 'project', id: '{/project/slug}' },
          ],
          time: '{/happened_at}',
          key: '{/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          id: '3888f21b',
          happened_at: '2026-11-20T13:00:00.317Z',
          type: 'workflow-completed',
          project: { slug: 'github/acme/app' },
          workflow: { id: 'fda08377', name: 'build', url: 'https://app.circleci.com/x', status: 'success' },
        },
        sign: body => ({ 'circleci-signature': `v1=${hmac('sha256', 'hex', body)},v2=0000` }),
        becomes: [['workflow.completed', 'workflow:fda08377']],
      },
    ],
  },
  {
    name: 'Buildkite',
    secret: SECRET,
    definition: {
      proof: {
        ...bodyHmac('X-Buildkite-Signature', { prefix: 'signature=' }),
        separator: ',',
        signed: '{timestamp}.{body}',
        timestamp: { header: 'X-Buildkite-Signature', prefix: 'timestamp=' },
      },
      ignore: [[{ at: '/event', is: 'ping' }]],
      rules: [
        {
          kind: '{/event}',
          subject_id: '{/build/id}',
          outcome: { template: '{/build/state}', map: { passed: 'succeeded', failed: 'failed' } },
          actor: { id: '{/sender/id}', display: '{/sender/name}' },
          target: [
            { type: 'build', id: '{/build/id}', display: '#{/build/number}', url: '{/build/web_url}' },
            { type: 'pipeline', id: '{/pipeline/slug}' },
          ],
          text: '{/build/message}',
          time: '{/build/finished_at}',
          key: '{/event}:{/build/id}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          event: 'build.finished',
          build: {
            id: 'f62a1b4d',
            web_url: 'https://buildkite.com/acme/app/builds/27',
            number: 27,
            state: 'passed',
            message: 'Fix',
            finished_at: '2026-11-20 13:00:00 UTC',
          },
          pipeline: { id: '849411f9', slug: 'app' },
          sender: { id: '8a7693f8', name: 'Ada' },
        },
        sign: (body, now) => ({
          'x-buildkite-signature': `timestamp=${seconds(now)},signature=${hmac('sha256', 'hex', `${seconds(now)}.${body}`)}`,
        }),
        becomes: [['build.finished', 'build:f62a1b4d']],
      },
    ],
  },
  {
    name: 'Terraform Cloud',
    secret: SECRET,
    definition: {
      proof: { type: 'hmac', algorithm: 'sha512', header: 'X-TFE-Notification-Signature', encoding: 'hex' },
      ignore: [[{ at: '/notifications/0/trigger', is: 'verification' }]],
      each: '/notifications',
      rules: [
        {
          kind: 'run.{./run_status}',
          subject_id: '{/run_id}',
          actor: { id: ['{./run_updated_by}', '{/run_created_by}'] },
          target: [
            { type: 'run', id: '{/run_id}', url: '{/run_url}' },
            { type: 'workspace', id: '{/workspace_id}', display: '{/workspace_name}' },
          ],
          text: '{./message}',
          time: '{./run_updated_at}',
          key: '{/run_id}:{./run_status}',
        },
      ],
    },
    deliveries: [
      {
        body: {
          payload_version: 1,
          run_url: 'https://app.terraform.io/app/acme/app/runs/run-1',
          run_id: 'run-1',
          workspace_id: 'ws-1',
          workspace_name: 'app',
          notifications: [
            {
              message: 'Run Canceled',
              trigger: 'run:errored',
              run_status: 'canceled',
              run_updated_at: '2026-11-20T13:00:00.000Z',
              run_updated_by: 'ada',
            },
          ],
        },
        sign: body => ({ 'x-tfe-notification-signature': hmac('sha512', 'hex', body) }),
        becomes: [['run.canceled', 'run:run-1']],
      },
      {
        body: {
          payload_version: 1,
          run_url: null,
          run_id: null,
          notifications: [{ message: 'Verification', trigger: 'verification', run_status: null }],
        },
        sign: body => ({ 'x-tfe-notification-signature': hmac('sha512', 'hex', body) }),
        becomes: [],
      },
    ],
  },
  {
    name: 'Gerrit',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      rules: [
        {
          when: [{ at: '/change/number', exists: true }],
          kind: 'change.{/type}',
          subject_id: '{/change/number}',
          actor: {
            id: ['{/uploader/username}', '{/author/username}'],
            display: ['{/uploader/name}', '{/author/name}'],
          },
          target: [
            { type: 'change', id: '{/change/number}', display: '{/change/subject}', url: '{/change/url}' },
            { type: 'project', id: '{/change/project}' },
          ],
          text: '{/comment}',
          time: '{/eventCreatedOn}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          uploader: { name: 'Ada', email: 'ada@example.org', username: 'ada' },
          patchSet: { number: 1, revision: 'c739' },
          change: {
            project: 'app',
            branch: 'main',
            id: 'I1',
            number: 42,
            subject: 'Fix',
            url: 'https://gerrit.example.org/c/app/+/42',
            status: 'NEW',
          },
          type: 'patchset-created',
          eventCreatedOn: 1763640000,
        },
        becomes: [['change.patchset-created', 'change:42']],
      },
    ],
  },
  {
    name: 'Jenkins, Notification plugin',
    secret: SECRET,
    definition: {
      proof: BY_QUERY,
      rules: [
        {
          kind: 'build.{/build/phase}',
          subject_id: '{/name}#{/build/number}',
          outcome: { template: '{/build/status}', map: { SUCCESS: 'succeeded', FAILURE: 'failed' } },
          target: [
            { type: 'build', id: '{/name}#{/build/number}', url: '{/build/full_url}' },
            { type: 'job', id: '{/name}' },
          ],
          time: '{/build/timestamp}',
          key: '{/name}:{/build/number}:{/build/phase}',
        },
      ],
    },
    deliveries: [
      {
        query: QUERY,
        body: {
          name: 'app',
          url: 'job/app/',
          build: {
            full_url: 'http://localhost:8080/job/app/18/',
            number: 18,
            timestamp: 1763640000000,
            phase: 'COMPLETED',
            status: 'SUCCESS',
          },
        },
        becomes: [['build.completed', 'build:app#18']],
      },
    ],
  },
]
