/** Events of automation on code: checks, workflows, commit statuses, deployments. */

import type { TargetNode } from '../../model/events/event.js'
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { firstInstantAt, idAt, known, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import { toOutcome } from '../mapping/words.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { repositoryPage } from './links.js'
import { commitNode, pathInRepository } from './target-nodes.js'

export type RunEvent = 'check_run' | 'check_suite' | 'workflow_run' | 'workflow_job'

/** The members with an action's time, in order of preference. Actions not listed have no time. */
const RUN_TIMES: Record<RunEvent, ReadonlyMap<string, readonly string[]>> = {
  check_run: new Map([
    ['created', ['started_at']],
    ['completed', ['completed_at']],
  ]),
  check_suite: new Map([
    ['requested', ['created_at']],
    ['rerequested', ['updated_at']],
    ['completed', ['updated_at']],
  ]),
  workflow_run: new Map([
    ['requested', ['run_started_at', 'created_at']],
    ['in_progress', ['updated_at', 'run_started_at', 'started_at']],
    // Gitea omits the last change; Forgejo uses its own names.
    ['completed', ['updated_at', 'completed_at', 'stopped', 'updated']],
    ['recovered', ['updated_at', 'stopped', 'updated']],
  ]),
  workflow_job: new Map([
    ['queued', ['created_at']],
    ['waiting', ['created_at']],
    ['in_progress', ['started_at']],
    ['completed', ['completed_at']],
  ]),
}

/** Actions that arrive while the run still shows its previous outcome. */
const RERUN_REQUESTS: ReadonlySet<string> = new Set(['rerequested', 'requested_action'])

export function mapRun(event: RunEvent): (hook: Hook) => Mapped {
  return hook => {
    const run = runOf(hook, event)
    const verb = runVerb(hook, event)
    const id = idAt(run, 'id')
    const occurredAt = firstInstantAt(run, RUN_TIMES[event].get(verb) ?? [])
    const conclusion = textAt(run, 'conclusion') ?? (isForgejoRun(hook, event) ? textAt(run, 'status') : undefined)
    const attempt = attemptOf(run)
    const output = objectAt(run, 'output')
    const status = textAt(run, 'status')
    const target = toNode(event, {
      id,
      display: textAt(run, 'name') ?? textAt(objectAt(run, 'app'), 'name') ?? runTitle(run),
      url: webUrlAt(run, 'html_url'),
      nativeType: isForgejoRun(hook, event) ? 'action_run' : undefined,
      parent: runParent(hook, event, run),
    })
    return {
      objectType: event,
      verb,
      subjectId: id,
      identity: id,
      // Without a count of attempts, the time distinguishes them: the same run may fail twice.
      occurrence:
        verb === 'created' ? 'once' : [...(conclusion === undefined ? [] : [conclusion]), attempt ?? occurredAt],
      outcome: RERUN_REQUESTS.has(verb) ? undefined : toOutcome(conclusion ?? status),
      occurredAt,
      target,
      conversation: conversationOf(hook, target, { text: runTitle(run) ?? textAt(output, 'title') }),
      metadata: known({ status, conclusion, attempt }),
    }
  }
}

function runTitle(run: Payload | undefined): string | undefined {
  return textAt(run, 'display_title') ?? textAt(run, 'title')
}

function runOf({ body }: Hook, event: RunEvent): Payload | undefined {
  return objectAt(body, event) ?? (event === 'workflow_run' ? objectAt(body, 'run') : undefined)
}

/** Forgejo sends only finished runs, with the outcome as the action, such as a success after a failure. */
function isForgejoRun({ nativeName }: Hook, event: RunEvent): boolean {
  return event === 'workflow_run' && nativeName.startsWith('action_run')
}

function runVerb(hook: Hook, event: RunEvent): string {
  if (!isForgejoRun(hook, event)) return verbOf(hook)
  return hook.nativeAction === 'recover' ? 'recovered' : 'completed'
}

/** Attempts are counted from 1. Gitea sends 0 if it does not count them. */
function attemptOf(run: Payload | undefined): string | undefined {
  const attempt = idAt(run, 'run_attempt')
  return attempt === '0' ? undefined : attempt
}

function runParent(hook: Hook, event: RunEvent, run: Payload | undefined): TargetNode | undefined {
  const commit = commitNode(hook, textAt(run, 'head_sha') ?? textAt(run, 'commit_sha'))
  const workflowRun = event === 'workflow_job' ? idAt(run, 'run_id') : undefined
  if (workflowRun === undefined) return commit
  // Gitea's page addresses use another number, which counts runs per repository.
  const url = hook.dialect === 'github' ? repositoryPage(hook, 'actions', 'runs', workflowRun) : undefined
  return toNode('workflow_run', { id: workflowRun, display: textAt(run, 'workflow_name'), url, parent: commit })
}

/** A commit status. Its verb is the state, and each status has its own id. */
export function mapStatus(hook: Hook): Mapped {
  const { body } = hook
  const id = idAt(body, 'id')
  const sha = textAt(body, 'sha')
  const context = textAt(body, 'context')
  const verb = toWord(textAt(body, 'state')) ?? 'received'
  const occurredAt = firstInstantAt(body, ['updated_at', 'created_at'])
  const path = sha === undefined || context === undefined ? undefined : pathInRepository(hook, `${sha}/${context}`)
  const target = toNode('status', {
    id: id ?? path,
    display: context,
    url: webUrlAt(body, 'target_url'),
    parent: commitNode(hook, sha),
  })
  return {
    objectType: 'status',
    verb,
    subjectId: id ?? sha,
    identity: id ?? path,
    occurrence: id === undefined ? [occurredAt] : 'once',
    outcome: toOutcome(textAt(body, 'state')),
    occurredAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(body, 'description') }),
    metadata: known({ state: textAt(body, 'state'), context }),
  }
}

export function mapDeployment(hook: Hook): Mapped {
  const deployment = objectAt(hook.body, 'deployment')
  const verb = verbOf(hook, 'created')
  const id = idAt(deployment, 'id')
  const occurredAt = firstInstantAt(deployment, [verb === 'created' ? 'created_at' : 'updated_at'])
  const target = deploymentNode(hook, deployment)
  const environment = textAt(deployment, 'environment')
  return {
    objectType: 'deployment',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' ? 'once' : [occurredAt],
    occurredAt,
    target,
    conversation: conversationOf(hook, target, { text: textAt(deployment, 'description') }),
    metadata: known({ environment }),
  }
}

export function mapDeploymentStatus(hook: Hook): Mapped {
  const status = objectAt(hook.body, 'deployment_status')
  const deployment = objectAt(hook.body, 'deployment')
  const id = idAt(status, 'id')
  const state = textAt(status, 'state')
  const verb = verbOf(hook, 'created')
  const occurredAt = firstInstantAt(status, [verb === 'created' ? 'created_at' : 'updated_at'])
  const target = toNode('deployment_status', {
    id,
    display: state,
    url: webUrlAt(status, 'log_url') ?? webUrlAt(status, 'target_url'),
    metadata: known({ state }),
    parent: deploymentNode(hook, deployment),
  })
  return {
    objectType: 'deployment_status',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' && state !== undefined ? [state] : [occurredAt],
    outcome: toOutcome(state),
    occurredAt,
    target,
    conversation: conversationOf(hook, target.parent, { text: textAt(status, 'description'), url: target.url }),
    metadata: known({
      state,
      environment: textAt(status, 'environment') ?? textAt(deployment, 'environment'),
    }),
  }
}

export function deploymentNode(hook: Hook, deployment: Payload | undefined): TargetNode {
  return toNode('deployment', {
    id: idAt(deployment, 'id'),
    display: textAt(deployment, 'environment'),
    parent: commitNode(hook, textAt(deployment, 'sha')),
  })
}
