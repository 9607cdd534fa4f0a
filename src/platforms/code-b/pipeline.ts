/** Events of automation on code: pipelines, their jobs, deployments. Their verbs are the platform's statuses. */
import type { TargetNode } from '../../model/events/event.js'
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, known, numberAt, objectAt, objectsAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import { toOutcome } from '../mapping/words.js'
import { toActor } from './actor.js'
import { conversationOf, type Hook, type Mapped } from './hook.js'
import { carrierNode, commitNode, linkInProject, pathInProject, pullRequestNode } from './target-nodes.js'
import { timeAt } from './time.js'

/** Statuses with a valid `finished_at`. A pipeline that runs again still has its previous end. */
const ENDED: ReadonlySet<string | undefined> = new Set(['success', 'failed', 'canceled', 'skipped'])

/** A retried pipeline runs and ends again; its last end distinguishes the occurrences. */
export function mapPipeline(hook: Hook): Mapped {
  const { attributes: pipeline, body } = hook
  const id = idAt(pipeline, 'id')
  const status = textAt(pipeline, 'status')
  const finishedAt = timeAt(pipeline, 'finished_at')
  const commit = commitNode(hook, textAt(pipeline, 'sha'), webUrlAt(objectAt(body, 'commit'), 'url'))
  const target = toNode('pipeline', {
    id,
    display: textAt(pipeline, 'name') ?? textAt(pipeline, 'ref'),
    url: webUrlAt(pipeline, 'url') ?? linkInProject(hook, 'pipelines', id),
    metadata: known({ number: numberAt(pipeline, 'iid'), status, ref: textAt(pipeline, 'ref') }),
    parent: mergeRequestAround(hook, commit) ?? commit,
  })
  return {
    objectType: 'pipeline',
    verb: toWord(status) ?? 'received',
    subjectId: id,
    identity: id,
    occurrence: pipelineOccurrence(body, finishedAt),
    occurredAt: ENDED.has(status) ? finishedAt : undefined,
    outcome: toOutcome(status),
    target,
    conversation: conversationOf(hook, target, { text: textAt(objectAt(body, 'commit'), 'message') }),
    metadata: known({ native_action: status, pipeline_source: textAt(pipeline, 'source') }),
  }
}

/**
 * A pipeline that waits for a person reaches the same status several times before it ends. Each time, another of its
 * jobs has ended.
 */
function pipelineOccurrence(body: Payload, finishedAt: string | undefined): Mapped['occurrence'] {
  if (finishedAt !== undefined) return [finishedAt]
  const ends = objectsAt(body, 'builds').flatMap(build => timeAt(build, 'finished_at') ?? [])
  const last = ends.sort().at(-1)
  return last === undefined ? 'once' : [last]
}

/** A fork's pipelines run in the fork, but the merge request belongs to another project. */
function mergeRequestAround(hook: Hook, parent: TargetNode | undefined): TargetNode | undefined {
  const mergeRequest = objectAt(hook.body, 'merge_request')
  if (!mergeRequest) return undefined
  const elsewhere = (idAt(mergeRequest, 'target_project_id') ?? hook.project?.id) !== hook.project?.id
  return elsewhere ? undefined : pullRequestNode(hook, mergeRequest, { parent })
}

/** The members with the time of a job's status. Other statuses, such as `pending` and `manual`, have none. */
const JOB_TIMES: ReadonlyMap<string, string> = new Map([
  ['created', 'build_created_at'],
  ['running', 'build_started_at'],
  ['success', 'build_finished_at'],
  ['failed', 'build_finished_at'],
  ['canceled', 'build_finished_at'],
  ['skipped', 'build_finished_at'],
])

/** The body itself is the job. Its `commit.id` is the pipeline's. */
export function mapJob(hook: Hook): Mapped {
  const { body } = hook
  const id = idAt(body, 'build_id')
  const status = textAt(body, 'build_status')
  const verb = toWord(status) ?? 'received'
  const retries = idAt(body, 'retries_count')
  const timeMember = JOB_TIMES.get(verb)
  const commit = objectAt(body, 'commit')
  const pipelineId = idAt(body, 'pipeline_id') ?? idAt(commit, 'id')
  const target = toNode('job', {
    id,
    display: textAt(body, 'build_name'),
    url: linkInProject(hook, 'jobs', id),
    metadata: known({ stage: textAt(body, 'build_stage'), status }),
    parent: toNode('pipeline', {
      id: pipelineId,
      display: textAt(commit, 'name') ?? textAt(body, 'ref'),
      url: linkInProject(hook, 'pipelines', pipelineId),
      parent: commitNode(hook, textAt(body, 'sha') ?? textAt(commit, 'sha')),
    }),
  })
  return {
    objectType: 'job',
    verb,
    subjectId: id,
    identity: id,
    occurrence: retries === undefined ? 'once' : [retries],
    occurredAt: timeMember === undefined ? undefined : timeAt(body, timeMember),
    outcome: toOutcome(status),
    target,
    conversation: conversationOf(hook, target, { text: textAt(commit, 'message') }),
    metadata: known({
      native_action: status,
      retries,
      failure_reason: verb === 'failed' ? textAt(body, 'build_failure_reason') : undefined,
    }),
  }
}

/** Several people may approve one deployment. The approver distinguishes the approvals. */
export function mapDeployment(hook: Hook): Mapped {
  const { body } = hook
  const id = idAt(body, 'deployment_id')
  const job = idAt(body, 'deployable_id')
  const status = textAt(body, 'status')
  const approver = objectAt(body, 'approver')
  const approval = objectAt(body, 'approval')
  const approvalId = idAt(approval, 'id')
  const identity = id ?? (job === undefined ? undefined : `job/${job}`)
  const target = toNode('deployment', {
    id: identity,
    display: textAt(body, 'environment'),
    url: webUrlAt(body, 'deployable_url'),
    metadata: known({ status, ref: textAt(body, 'ref'), sha: textAt(body, 'short_sha') }),
    parent: environmentNode(hook, body),
  })
  return {
    objectType: 'deployment',
    verb: toWord(status) ?? 'received',
    subjectId: identity,
    identity,
    occurrence: approvalId === undefined ? 'once' : [approvalId],
    occurredAt: timeAt(body, 'status_changed_at'),
    outcome: toOutcome(status),
    target,
    conversation: conversationOf(hook, target, {
      text: textAt(approval, 'comment') ?? textAt(body, 'commit_title'),
      url: target.url ?? webUrlAt(body, 'commit_url'),
    }),
    ...(approver ? { actor: toActor(approver) } : {}),
    metadata: known({ native_action: status, environment: textAt(body, 'environment') }),
  }
}

/** An environment never changes its name, and its id is not sent. */
function environmentNode(hook: Hook, body: Payload): TargetNode | undefined {
  const name = textAt(body, 'environment')
  if (name === undefined) return carrierNode(hook)
  return toNode('environment', {
    id: pathInProject(hook, name),
    display: name,
    url: webUrlAt(body, 'environment_external_url'),
    parent: carrierNode(hook),
  })
}
