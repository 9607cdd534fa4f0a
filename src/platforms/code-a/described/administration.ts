/** Repository administration: settings and rules, labels and milestones, dispatches, deployments, merge queue. */
import { readRef } from '../../mapping/code-host.js'
import { toNode } from '../../mapping/node.js'
import { idAt, objectAt, objectsAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import { toOutcome } from '../../mapping/words.js'
import { toChanges } from '../changes.js'
import { deploymentNode } from '../checks.js'
import type { Hook } from '../hook.js'
import { repositoryPage, wikiPage } from '../links.js'
import { refNode } from '../pushes-and-releases.js'
import { carrierNode, commitNode, namedBy, pathInRepository, pullRequestNode } from '../target-nodes.js'
import type { DescribedEvent, Description } from './description.js'

function describeImport({ body }: Hook): Description {
  return { outcome: toOutcome(textAt(body, 'status')) }
}

function describeRuleset(_: Hook, ruleset: Payload | undefined): Description {
  return {
    url: webUrlAt(objectAt(objectAt(ruleset, '_links'), 'html'), 'href'),
    facts: { state: textAt(ruleset, 'enforcement') },
  }
}

/** All rules together. They have no object of their own. */
function describeBranchProtection(hook: Hook): Description {
  return { target: settingsNode(hook, 'branch protection', 'branches') }
}

function describeSecuritySettings(hook: Hook): Description {
  const before = objectAt(objectAt(objectAt(hook.body, 'changes'), 'from'), 'security_and_analysis')
  const now = objectAt(hook.repository, 'security_and_analysis')
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})])]
  const statusOf = (settings: Payload | undefined, name: string) => textAt(objectAt(settings, name), 'status')
  const changes = toChanges(names.map(name => [name, statusOf(before, name), statusOf(now, name)]))
  return {
    target: settingsNode(hook, 'security and analysis settings', 'security_analysis'),
    facts: { changes: Object.keys(changes).length > 0 ? changes : undefined },
  }
}

function settingsNode(hook: Hook, display: string, page: string) {
  const url = hook.dialect === 'github' ? repositoryPage(hook, 'settings', page) : undefined
  return toNode(hook.name, { display, url, parent: carrierNode(hook) })
}

function describeLabel(hook: Hook, label: Payload | undefined): Description {
  const name = textAt(label, 'name')
  const url = name === undefined || hook.dialect !== 'github' ? undefined : repositoryPage(hook, 'labels', name)
  return { url, text: textAt(label, 'description'), facts: { label: namedBy(label) } }
}

function describeMilestone(_: Hook, milestone: Payload | undefined): Description {
  return { facts: { milestone: namedBy(milestone), state: textAt(milestone, 'state') } }
}

/** A pull request in the merge queue. Only the name of the queue's branch contains its number. */
function describeMergeGroup(hook: Hook, group: Payload | undefined): Description {
  const number = /\/pr-(\d+)-/u.exec(textAt(group, 'head_ref') ?? '')?.[1]
  const { name: base } = readRef(textAt(group, 'base_ref'))
  const entry = number === undefined ? 'merge queue entry' : `merge queue entry of #${number}`
  const reason = textAt(hook.body, 'reason')
  return {
    display: base === undefined ? entry : `${entry} into ${base}`,
    parent: number === undefined ? commitNode(hook, textAt(group, 'head_sha')) : pullRequestNode(hook, { number }),
    text: textAt(objectAt(group, 'head_commit'), 'message'),
    outcome: toOutcome(reason),
    facts: { reason, base },
  }
}

function describeProtectionRule(hook: Hook, deployment: Payload | undefined): Description {
  const environment = textAt(hook.body, 'environment') ?? textAt(deployment, 'environment')
  return {
    display: environment,
    parent: deployment ? deploymentNode(hook, deployment) : undefined,
    facts: { environment },
  }
}

function describeDeploymentReview(hook: Hook, run: Payload | undefined): Description {
  const { body } = hook
  const environments = [
    textAt(body, 'environment'),
    ...[objectAt(body, 'workflow_job_run'), ...objectsAt(body, 'workflow_job_runs')].map(job =>
      textAt(job, 'environment'),
    ),
  ].filter(name => name !== undefined)
  const environment = [...new Set(environments)].join(', ') || undefined
  const url = webUrlAt(run, 'html_url')
  const parent = commitNode(hook, textAt(run, 'head_sha'))
  return {
    display: environment,
    url,
    parent: toNode('workflow_run', { id: idAt(run, 'id'), display: textAt(run, 'name'), url, parent }),
    text: textAt(body, 'comment'),
    facts: {
      environment,
      concerned: namedBy(objectAt(body, 'requestor')),
      reviewer: namedBy(objectAt(objectsAt(body, 'reviewers')[0], 'reviewer')),
    },
  }
}

/** The caller of the API chooses the action. */
function describeDispatch(hook: Hook): Description {
  const branch = textAt(hook.body, 'branch')
  return {
    target: toNode('repository_dispatch', {
      display: hook.nativeAction,
      parent: branch === undefined ? carrierNode(hook) : refNode(hook, branch, { refType: 'branch' }),
    }),
    facts: { ref: branch },
  }
}

function describeWorkflowDispatch(hook: Hook): Description {
  const ref = textAt(hook.body, 'ref')
  const workflow = textAt(hook.body, 'workflow')
  const file = workflow?.split('/').at(-1)
  const gitHubs = file !== undefined && hook.dialect === 'github'
  return {
    target: toNode('workflow_dispatch', {
      display: file ?? 'workflow',
      url: gitHubs ? repositoryPage(hook, 'actions', 'workflows', file) : undefined,
      parent: ref === undefined ? carrierNode(hook) : refNode(hook, ref),
    }),
    facts: { workflow, ref },
  }
}

/** Gitea and Forgejo send one page per event. GitHub's event is `gollum`. */
function describeWiki(hook: Hook): Description {
  const page = textAt(hook.body, 'page')
  const id = pathInRepository(hook, page)
  return {
    subjectId: id,
    target: toNode('wiki', {
      id,
      display: page ?? 'wiki',
      url: page === undefined ? repositoryPage(hook, 'wiki') : wikiPage(hook, page),
      parent: carrierNode(hook),
    }),
    text: textAt(hook.body, 'comment'),
    facts: { page },
  }
}

/** Gitea and Forgejo: a scheduled workflow run. */
function describeSchedule(hook: Hook): Description {
  const workflow = textAt(hook.body, 'workflow')
  return {
    target: toNode('schedule', { display: workflow ?? 'schedule', parent: carrierNode(hook) }),
    facts: { workflow },
  }
}

export const ADMINISTRATION: Readonly<Record<string, DescribedEvent>> = {
  repository: {
    verbs: [
      'created',
      'updated',
      'deleted',
      'renamed',
      'transferred',
      'archived',
      'unarchived',
      'privatized',
      'publicized',
    ],
  },
  repository_import: { verbs: ['success', 'failure', 'cancelled'], describe: describeImport },
  repository_ruleset: { verbs: ['created', 'updated', 'deleted'], describe: describeRuleset },
  repository_dispatch: { verbs: [], describe: describeDispatch },
  branch_protection_rule: { verbs: ['created', 'updated', 'deleted'] },
  branch_protection_configuration: { verbs: ['enabled', 'disabled'], describe: describeBranchProtection },
  security_and_analysis: { verbs: ['updated'], describe: describeSecuritySettings },
  deploy_key: { verbs: ['created', 'deleted'] },
  label: { verbs: ['created', 'updated', 'deleted'], describe: describeLabel },
  milestone: {
    verbs: ['created', 'updated', 'closed', 'reopened', 'deleted'],
    describe: describeMilestone,
  },
  merge_group: { verbs: ['checks_requested', 'deleted'], describe: describeMergeGroup },
  deployment_protection_rule: { verbs: ['requested'], describe: describeProtectionRule },
  deployment_review: { verbs: ['requested', 'approved', 'rejected'], describe: describeDeploymentReview },
  workflow_dispatch: { verbs: ['created'], describe: describeWorkflowDispatch },
  wiki: { verbs: ['created', 'updated', 'deleted'], describe: describeWiki },
  schedule: { verbs: ['scheduled'], describe: describeSchedule },
}
