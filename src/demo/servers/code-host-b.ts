import type { Micros } from '../../model/timestamp.js'
import { adapterOf } from '../../platforms/adapters.js'
import { MINUTE, SECOND, toSecondText } from '../durations.js'
import { CODE_B_BOT, emailOf, type Person } from '../people.js'
import type { Random } from '../random.js'
import type {
  CodeHost,
  Commit,
  Deployment,
  DeploymentProgress,
  Issue,
  NewIssueOrPull,
  PullRequest,
  Repository,
  ReviewState,
  Run,
} from './code-host.js'
import { deliver, type Hook, type HookDelivery } from './hook.js'

const SITE = 'https://code.brindlequay.example'
/** This host has its own ids. */
const FIRST = { person: 200, object: 41_000 } as const

/** This platform's words for states. */
const DEPLOYMENT_STATES = { running: 'running', succeeded: 'success', failed: 'failed' } as const

/** A host with the payloads of GitLab. */
export class CodeHostB implements CodeHost {
  readonly bot = CODE_B_BOT
  readonly repositories: readonly Repository[] = [
    project(61, 'brindlequay/platform/payments', { issues: 210, pulls: 470, checks: ['build', 'test', 'audit'] }),
    project(62, 'brindlequay/platform/gateway', { issues: 95, pulls: 330, checks: ['build', 'test'] }),
    project(77, 'brindlequay/data/tides', { issues: 40, pulls: 118, checks: ['import', 'compare'], isVerified: false }),
  ]
  readonly #hook: Hook
  #objects: number = FIRST.object

  /** @param firstId added to the ids of all objects */
  constructor(
    private readonly random: Random,
    private readonly send: (at: Micros, delivery: HookDelivery) => void,
    firstId = 0,
  ) {
    this.#objects += firstId
    this.#hook = { adapter: adapterOf('code_b'), context: {}, secret: random.hex(40) }
  }

  openIssue(repository: Repository, { title, body, author }: NewIssueOrPull, at: Micros): Issue {
    repository.issues++
    const tracked = { id: this.#nextId(), number: repository.issues, repository, title, body, author, createdAt: at }
    const issue: Issue = { type: 'issue', ...tracked, state: 'open' }
    this.#trackedEvent(issue, 'open', author, at)
    return issue
  }

  label(issue: Issue, label: string, by: Person, at: Micros): void {
    const changes = { labels: { previous: [], current: [{ id: 600 + label.length, title: label }] } }
    this.#trackedEvent(issue, 'update', by, at, {}, changes)
  }

  openPull(repository: Repository, pull: NewIssueOrPull & { branch: string }, at: Micros): PullRequest {
    repository.pulls++
    const tracked = { id: this.#nextId(), number: repository.pulls, repository, createdAt: at, state: 'open' } as const
    const opened: PullRequest = { type: 'pull_request', ...pull, ...tracked, head: this.random.hex(40) }
    this.#trackedEvent(opened, 'open', pull.author, at)
    return opened
  }

  update(pull: PullRequest, commits: readonly Commit[], by: Person, at: Micros): void {
    const before = pull.head
    pull.head = commits.at(-1)?.sha ?? before
    this.#push(pull.repository, { branch: pull.branch, before, commits, by }, at)
    this.#trackedEvent(pull, 'update', by, at + SECOND, { oldrev: before })
  }

  comment(on: Issue | PullRequest, text: string, by: Person, at: Micros): void {
    this.#note(on, { text, by }, at)
  }

  remark(on: PullRequest, text: string, by: Person, at: Micros): void {
    const path = `lib/${this.random.pick(['ledger', 'refund', 'session', 'import', 'route'])}.rb`
    const position = { new_path: path, old_path: path, new_line: this.random.integer(3, 240), position_type: 'text' }
    this.#note(on, { text, by, position }, at)
  }

  /** This platform has approvals and comments instead of reviews. */
  review(pull: PullRequest, { state, text, by }: { state: ReviewState; text: string; by: Person }, at: Micros): void {
    if (text) this.#note(pull, { text, by }, at)
    if (state === 'approved') this.#trackedEvent(pull, 'approved', by, at + SECOND)
  }

  close(what: Issue | PullRequest, by: Person, at: Micros): void {
    what.state = 'closed'
    this.#trackedEvent(what, 'close', by, at, { closed_at: toSecondText(at) })
  }

  merge(pull: PullRequest, by: Person, at: Micros): void {
    pull.state = 'merged'
    this.#trackedEvent(pull, 'merge', by, at)
    const { repository, branch, title, number } = pull
    const merged = {
      sha: this.random.hex(40),
      message: `Merge branch '${branch}' into 'main'\n\n${title}\n\nSee !${number}`,
    }
    this.push(repository, 'main', [merged], by, at + SECOND)
  }

  push(repository: Repository, branch: string, commits: readonly Commit[], by: Person, at: Micros): void {
    this.#push(repository, { branch, before: this.random.hex(40), commits, by }, at)
  }

  startRun(run: Pick<Run, 'repository' | 'sha' | 'branch' | 'title' | 'by' | 'pull'>, at: Micros): Run {
    const started = { ...run, id: this.#nextId(), number: this.random.integer(900, 4_000), startedAt: at }
    this.#pipeline(started, { status: 'running', created_at: toSecondText(at), finished_at: null }, at)
    return started
  }

  endRun(run: Run, failure: string | undefined, at: Micros): void {
    if (failure !== undefined) this.#job(run, this.random.pick(run.repository.checks), failure, at)
    const times = { created_at: toSecondText(run.startedAt), finished_at: toSecondText(at) }
    this.#pipeline(run, { status: failure === undefined ? 'success' : 'failed', ...times }, at)
  }

  /** This platform sends nothing before the deployment runs. */
  requestDeployment(
    repository: Repository,
    deployment: Pick<Deployment, 'sha' | 'environment' | 'by'>,
    at: Micros,
  ): Deployment {
    return { ...deployment, id: this.#nextId(), repository, createdAt: at }
  }

  /** The reason of a failure is not sent: it is in the job's log. */
  deploymentStatus(
    { id, repository, sha, environment, by }: Deployment,
    { state }: DeploymentProgress,
    at: Micros,
  ): void {
    const url = webUrl(repository)
    const body = {
      object_kind: 'deployment',
      status: DEPLOYMENT_STATES[state],
      status_changed_at: toSecondText(at),
      deployment_id: id,
      deployable_id: id + 20_000,
      deployable_url: `${url}/-/jobs/${id + 20_000}`,
      environment,
      environment_tier: 'production',
      environment_slug: environment,
      short_sha: sha.slice(0, 8),
      commit_url: `${url}/-/commit/${sha}`,
      ref: 'main',
      user: userObject(by),
    }
    this.#deliver(repository, 'Deployment Hook', body, at)
  }

  release(repository: Repository, tag: string, text: string, by: Person, at: Micros): void {
    const url = `${webUrl(repository)}/-/releases/${tag}`
    const release = { id: this.#nextId(), tag, name: tag, description: text, url, action: 'create' }
    const when = { created_at: toSecondText(at), released_at: toSecondText(at) }
    this.#deliver(
      repository,
      'Release Hook',
      {
        object_kind: 'release',
        ...release,
        ...when,
        commit: { id: this.random.hex(40), author: { name: by.name, email: emailOf(by) } },
      },
      at,
    )
  }

  #note(
    on: Issue | PullRequest,
    { text, by, position }: { text: string; by: Person; position?: Record<string, unknown> },
    at: Micros,
  ): void {
    const id = this.#nextId()
    const isIssue = on.type === 'issue'
    const attributes = {
      id,
      note: text,
      noteable_type: isIssue ? 'Issue' : 'MergeRequest',
      noteable_id: on.id,
      action: 'create',
      author_id: FIRST.person + by.number,
      project_id: on.repository.id,
      url: `${urlOf(on)}#note_${id}`,
      created_at: toSecondText(at),
      updated_at: toSecondText(at),
      system: false,
      ...(position ? { type: 'DiffNote', position } : {}),
    }
    const about = { [isIssue ? 'issue' : 'merge_request']: trackedObject(on, at) }
    const body = {
      object_kind: 'note',
      event_type: 'note',
      user: userObject(by),
      object_attributes: attributes,
      ...about,
    }
    this.#deliver(on.repository, 'Note Hook', body, at)
  }

  #trackedEvent(
    what: Issue | PullRequest,
    action: string,
    by: Person,
    at: Micros,
    more: Record<string, unknown> = {},
    changes: Record<string, unknown> = {},
  ): void {
    const kind = what.type === 'issue' ? 'issue' : 'merge_request'
    const attributes = { ...trackedObject(what, at), action, ...more }
    const body = { object_kind: kind, event_type: kind, user: userObject(by), object_attributes: attributes, changes }
    this.#deliver(what.repository, what.type === 'issue' ? 'Issue Hook' : 'Merge Request Hook', body, at)
  }

  #push(
    repository: Repository,
    { branch, before, commits, by }: { branch: string; before: string; commits: readonly Commit[]; by: Person },
    at: Micros,
  ): void {
    const after = commits.at(-1)?.sha ?? before
    const ends = { ref: `refs/heads/${branch}`, before, after, checkout_sha: after }
    const pusher = { user_id: FIRST.person + by.number, user_name: by.name, user_username: by.username }
    const objects = commits.map(commit => commitObject(repository, commit, by, at))
    const body = { object_kind: 'push', event_name: 'push', ...ends, ...pusher, user_email: emailOf(by) }
    this.#deliver(repository, 'Push Hook', { ...body, commits: objects, total_commits_count: commits.length }, at)
  }

  #pipeline(run: Run, state: Record<string, unknown>, at: Micros): void {
    const { id, number, repository, branch, sha, pull, title, by } = run
    const url = `${webUrl(repository)}/-/pipelines/${id}`
    const about = { id, iid: number, ref: branch, sha, source: pull ? 'merge_request_event' : 'push', url }
    const attributes = { ...about, stages: repository.checks, ...state }
    this.#deliver(
      repository,
      'Pipeline Hook',
      {
        object_kind: 'pipeline',
        object_attributes: attributes,
        ...(pull ? { merge_request: trackedObject(pull, at) } : {}),
        user: userObject(by),
        commit: commitObject(repository, { sha, message: title }, by, run.startedAt),
      },
      at,
    )
  }

  #job(run: Run, name: string, failure: string, at: Micros): void {
    const { repository, branch, sha, title, by } = run
    const times = {
      build_created_at: toSecondText(run.startedAt),
      build_started_at: toSecondText(run.startedAt + MINUTE),
    }
    const job = { build_id: this.#nextId(), build_name: name, build_stage: name, build_status: 'failed', ...times }
    const body = { object_kind: 'build', ref: branch, sha, ...job, build_finished_at: toSecondText(at) }
    const commit = { id: run.id, sha, message: `${title}\n\n${failure}`, status: 'failed' }
    const why = { build_failure_reason: 'script_failure', retries_count: 0, pipeline_id: run.id }
    this.#deliver(repository, 'Job Hook', { ...body, ...why, commit, user: userObject(by) }, at)
  }

  #nextId(): number {
    this.#objects += this.random.integer(1, 6)
    return this.#objects
  }

  #deliver(repository: Repository, event: string, body: Record<string, unknown>, at: Micros): void {
    const headers = {
      'x-gitlab-event': event,
      'x-gitlab-instance': SITE,
      'idempotency-key': this.random.uuid(),
    }
    const hook = repository.isVerified ? this.#hook : { ...this.#hook, secret: undefined }
    const sent = { ...body, project_id: repository.id, project: projectObject(repository) }
    this.send(at, deliver(hook, headers, sent))
  }
}

function project(
  id: number,
  path: string,
  options: Pick<Repository, 'issues' | 'pulls' | 'checks'> & { isVerified?: boolean },
): Repository {
  return { id, path, isVerified: true, ...options }
}

function webUrl({ path }: Repository): string {
  return `${SITE}/${path}`
}

function urlOf({ type, repository, number }: Issue | PullRequest): string {
  return `${webUrl(repository)}/-/${type === 'issue' ? 'issues' : 'merge_requests'}/${number}`
}

function projectObject({ id, path }: Repository) {
  const name = path.split('/').at(-1)
  return { id, name, path_with_namespace: path, web_url: `${SITE}/${path}`, default_branch: 'main' }
}

function userObject(person: Person) {
  const { number, username, name } = person
  return { id: FIRST.person + number, name, username, email: emailOf(person) }
}

function trackedObject(what: Issue | PullRequest, at: Micros) {
  const { id, number, title, body, author, createdAt, state, repository } = what
  return {
    id,
    iid: number,
    title,
    description: body,
    author_id: FIRST.person + author.number,
    url: urlOf(what),
    state: state === 'open' ? 'opened' : state,
    created_at: toSecondText(createdAt),
    updated_at: toSecondText(at),
    ...(what.type === 'issue' ? { project_id: repository.id } : branchesOf(what)),
  }
}

function branchesOf({ branch, head, repository }: PullRequest) {
  const target = projectObject(repository)
  return {
    source_branch: branch,
    target_branch: 'main',
    target_project_id: repository.id,
    target,
    last_commit: { id: head },
  }
}

function commitObject(repository: Repository, { sha, message }: Commit, by: Person, at: Micros) {
  const author = { name: by.name, email: emailOf(by) }
  const url = `${webUrl(repository)}/-/commit/${sha}`
  return { id: sha, message, title: message.split('\n')[0], timestamp: toSecondText(at), url, author }
}
