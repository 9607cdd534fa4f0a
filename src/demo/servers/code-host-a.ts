import type { Micros } from '../../model/timestamp.js'
import { adapterOf } from '../../platforms/adapters.js'
import { MINUTE, SECOND, toSecondText } from '../durations.js'
import { CODE_A_BOT, emailOf, type Person } from '../people.js'
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
  Tracked,
} from './code-host.js'
import { deliver, type Hook, type HookDelivery } from './hook.js'

const SITE = 'https://git.brindlequay.example'
const OWNER = { id: 300, login: 'brindlequay', type: 'Organization', html_url: `${SITE}/brindlequay` }
/** This host has its own ids. */
const FIRST = { person: 5_000, object: 700_100 } as const
const NO_COMMIT = '0'.repeat(40)

/** This platform's words for states. */
const DEPLOYMENT_STATES = { running: 'in_progress', succeeded: 'success', failed: 'failure' } as const

/** A host with the payloads of GitHub. */
export class CodeHostA implements CodeHost {
  readonly bot = CODE_A_BOT
  readonly repositories: readonly Repository[] = [
    repository(8_101, 'brindlequay/timetable', { issues: 1_180, checks: ['lint', 'test (node 20)', 'test (node 24)'] }),
    repository(8_102, 'brindlequay/ticket-app', { issues: 640, checks: ['build', 'test'] }),
    repository(8_103, 'brindlequay/harbour-map', { issues: 87, checks: ['test'], isVerified: false }),
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
    this.#hook = { adapter: adapterOf('code_a'), context: {}, secret: random.hex(40) }
  }

  openIssue(repository: Repository, issue: NewIssueOrPull, at: Micros): Issue {
    const opened: Issue = { type: 'issue', ...this.#track(repository, issue, at) }
    this.#deliver(repository, 'issues', { action: 'opened', issue: issueObject(opened, at) }, issue.author, at)
    return opened
  }

  label(issue: Issue, label: string, by: Person, at: Micros): void {
    const object = { id: 900 + label.length, name: label, color: 'b6d6e8' }
    const body = { action: 'labeled', issue: issueObject(issue, at), label: object }
    this.#deliver(issue.repository, 'issues', body, by, at)
  }

  openPull(repository: Repository, { branch, ...pull }: NewIssueOrPull & { branch: string }, at: Micros): PullRequest {
    const tracked = this.#track(repository, pull, at)
    const opened: PullRequest = { type: 'pull_request', ...tracked, branch, head: this.random.hex(40) }
    this.#pullEvent(opened, 'opened', pull.author, at)
    return opened
  }

  update(pull: PullRequest, commits: readonly Commit[], by: Person, at: Micros): void {
    const before = pull.head
    pull.head = commits.at(-1)?.sha ?? before
    this.#push(pull.repository, { branch: pull.branch, before, commits, by }, at)
    this.#pullEvent(pull, 'synchronize', by, at + SECOND, { before, after: pull.head })
  }

  comment(on: Issue | PullRequest, text: string, by: Person, at: Micros): void {
    const url = `${urlOf(on)}#issuecomment-`
    const issue =
      on.type === 'issue' ? issueObject(on, at) : { ...issueObject(on, at), pull_request: { html_url: urlOf(on) } }
    const body = { action: 'created', issue, comment: this.#commentObject({ url, text, by }, at) }
    this.#deliver(on.repository, 'issue_comment', body, by, at)
  }

  remark(on: PullRequest, text: string, by: Person, at: Micros): void {
    const path = `src/${this.random.pick(['fares', 'tides', 'stops', 'tickets', 'calendar'])}.ts`
    const place = { path, line: this.random.integer(3, 240), commit_id: on.head }
    const comment = { ...this.#commentObject({ url: `${urlOf(on)}#discussion_r`, text, by }, at), ...place }
    const body = { action: 'created', comment, pull_request: pullObject(on, at) }
    this.#deliver(on.repository, 'pull_request_review_comment', body, by, at)
  }

  review(pull: PullRequest, { state, text, by }: { state: ReviewState; text: string; by: Person }, at: Micros): void {
    const id = this.#nextId()
    const review = {
      id,
      state,
      body: text || null,
      user: userObject(by),
      author_association: 'MEMBER',
      commit_id: pull.head,
      html_url: `${urlOf(pull)}#pullrequestreview-${id}`,
      submitted_at: toSecondText(at),
    }
    const body = { action: 'submitted', review, pull_request: pullObject(pull, at) }
    this.#deliver(pull.repository, 'pull_request_review', body, by, at)
  }

  close(what: Issue | PullRequest, by: Person, at: Micros): void {
    what.state = 'closed'
    if (what.type === 'pull_request') {
      this.#pullEvent(what, 'closed', by, at)
    } else {
      const body = { action: 'closed', issue: { ...issueObject(what, at), closed_at: toSecondText(at) } }
      this.#deliver(what.repository, 'issues', body, by, at)
    }
  }

  merge(pull: PullRequest, by: Person, at: Micros): void {
    pull.state = 'merged'
    this.#pullEvent(pull, 'closed', by, at)
    const { repository, branch, number, title } = pull
    const merged = { sha: this.random.hex(40), message: `Merge pull request #${number}: ${title}` }
    this.push(repository, 'main', [merged], by, at + SECOND)
    this.#deliver(repository, 'delete', { ref: branch, ref_type: 'branch', pusher_type: 'user' }, by, at + 2 * SECOND)
  }

  push(repository: Repository, branch: string, commits: readonly Commit[], by: Person, at: Micros): void {
    this.#push(repository, { branch, before: this.random.hex(40), commits, by }, at)
  }

  startRun(run: Pick<Run, 'repository' | 'sha' | 'branch' | 'title' | 'by' | 'pull'>, at: Micros): Run {
    const number = this.random.integer(4_000, 9_000)
    return { ...run, id: this.#nextId(), number, startedAt: at }
  }

  endRun(run: Run, failure: string | undefined, at: Micros): void {
    const { repository } = run
    const failed = failure === undefined ? -1 : this.random.integer(0, repository.checks.length - 1)
    for (const [index, name] of repository.checks.entries()) {
      const conclusion = index === failed ? 'failure' : 'success'
      const ended = at - (repository.checks.length - index) * this.random.integer(1, 20) * SECOND
      this.#deliver(
        repository,
        'check_run',
        {
          action: 'completed',
          check_run: {
            id: this.#nextId(),
            name,
            head_sha: run.sha,
            status: 'completed',
            conclusion,
            html_url: `${webUrl(repository)}/runs/${run.id}/${index}`,
            started_at: toSecondText(run.startedAt),
            completed_at: toSecondText(ended),
            output: { title: index === failed ? failure : 'all is well' },
          },
        },
        this.bot,
        at,
      )
    }
    const workflow = {
      id: run.id,
      name: 'ci',
      run_number: run.number,
      run_attempt: 1,
      event: run.pull ? 'pull_request' : 'push',
      status: 'completed',
      conclusion: failure === undefined ? 'success' : 'failure',
      head_branch: run.branch,
      head_sha: run.sha,
      display_title: run.title,
      html_url: `${webUrl(repository)}/actions/runs/${run.id}`,
      created_at: toSecondText(run.startedAt),
      run_started_at: toSecondText(run.startedAt),
      updated_at: toSecondText(at),
    }
    this.#deliver(repository, 'workflow_run', { action: 'completed', workflow_run: workflow }, this.bot, at)
  }

  requestDeployment(
    repository: Repository,
    { sha, environment, by }: Pick<Deployment, 'sha' | 'environment' | 'by'>,
    at: Micros,
  ): Deployment {
    const deployment = { id: this.#nextId(), repository, sha, environment, by, createdAt: at }
    const body = { action: 'created', deployment: deploymentObject(deployment, at), workflow: null, workflow_run: null }
    this.#deliver(repository, 'deployment', body, by, at)
    return deployment
  }

  deploymentStatus(deployment: Deployment, progress: DeploymentProgress, at: Micros): void {
    const { repository, environment } = deployment
    const url = `${webUrl(repository)}/deployments/${deployment.id}`
    const status = {
      id: this.#nextId(),
      state: DEPLOYMENT_STATES[progress.state],
      creator: userObject(this.bot),
      description: progress.state === 'failed' ? progress.failure : '',
      environment,
      target_url: url,
      log_url: url,
      environment_url: '',
      created_at: toSecondText(at),
      updated_at: toSecondText(at),
    }
    const body = { action: 'created', deployment_status: status, deployment: deploymentObject(deployment, at) }
    this.#deliver(repository, 'deployment_status', { ...body, workflow: null, workflow_run: null }, this.bot, at)
  }

  release(repository: Repository, tag: string, text: string, by: Person, at: Micros): void {
    const id = this.#nextId()
    const url = `${webUrl(repository)}/releases/tag/${tag}`
    const release = { id, tag_name: tag, name: tag, body: text, html_url: url, draft: false, author: userObject(by) }
    const when = { created_at: toSecondText(at - 5 * MINUTE), published_at: toSecondText(at) }
    this.#deliver(repository, 'release', { action: 'published', release: { ...release, ...when } }, by, at)
  }

  #track(repository: Repository, { title, body, author }: NewIssueOrPull, at: Micros): Omit<Tracked, 'type'> {
    // Issues and pull requests share their numbers.
    repository.issues++
    const number = repository.issues
    return { id: this.#nextId(), number, repository, title, body, author, createdAt: at, state: 'open' }
  }

  #pullEvent(pull: PullRequest, action: string, by: Person, at: Micros, more: Record<string, unknown> = {}): void {
    const body = { action, number: pull.number, pull_request: pullObject(pull, at), ...more }
    this.#deliver(pull.repository, 'pull_request', body, by, at)
  }

  #push(
    repository: Repository,
    { branch, before, commits, by }: { branch: string; before: string; commits: readonly Commit[]; by: Person },
    at: Micros,
  ): void {
    const objects = commits.map(({ sha, message }) => commitObject(repository, { sha, message }, by, at))
    const after = commits.at(-1)?.sha ?? NO_COMMIT
    const ends = { ref: `refs/heads/${branch}`, before, after, created: false, deleted: false, forced: false }
    const compare = `${webUrl(repository)}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`
    const pusher = { name: by.username, email: emailOf(by) }
    // Only pushes have this time in seconds.
    const pushed = { ...repositoryObject(repository), pushed_at: Math.floor(at / SECOND) }
    const body = { ...ends, compare, commits: objects, head_commit: objects.at(-1) ?? null, pusher, repository: pushed }
    this.#deliver(repository, 'push', body, by, at)
  }

  #commentObject({ url, text, by }: { url: string; text: string; by: Person }, at: Micros) {
    const id = this.#nextId()
    const times = { created_at: toSecondText(at), updated_at: toSecondText(at) }
    return { id, html_url: `${url}${id}`, body: text, user: userObject(by), author_association: 'MEMBER', ...times }
  }

  #nextId(): number {
    this.#objects += this.random.integer(1, 9)
    return this.#objects
  }

  #deliver(repository: Repository, event: string, body: Record<string, unknown>, sender: Person, at: Micros): void {
    const headers = { 'x-github-event': event, 'x-github-delivery': this.random.uuid() }
    const sent = { repository: repositoryObject(repository), ...body, organization: OWNER, sender: userObject(sender) }
    const hook = repository.isVerified ? this.#hook : { ...this.#hook, secret: undefined }
    this.send(at, deliver(hook, headers, sent))
  }
}

function repository(
  id: number,
  path: string,
  { issues, checks, isVerified = true }: { issues: number; checks: readonly string[]; isVerified?: boolean },
): Repository {
  return { id, path, issues, pulls: 0, isVerified, checks }
}

function webUrl({ path }: Repository): string {
  return `${SITE}/${path}`
}

function urlOf({ type, repository, number }: Issue | PullRequest): string {
  return `${webUrl(repository)}/${type === 'issue' ? 'issues' : 'pull'}/${number}`
}

function repositoryObject({ id, path }: Repository) {
  const name = path.split('/').at(-1)
  const urls = { html_url: `${SITE}/${path}`, clone_url: `${SITE}/${path}.git` }
  return { id, name, full_name: path, private: false, owner: OWNER, ...urls, default_branch: 'main' }
}

function userObject(person: Person) {
  const { number, username, hours } = person
  const type = hours === 'always' ? 'Bot' : 'User'
  return { id: FIRST.person + number, login: username, type, html_url: `${SITE}/${encodeURIComponent(username)}` }
}

function issueObject(issue: Issue | PullRequest, at: Micros) {
  return { ...trackedObject(issue, at), state: issue.state === 'open' ? 'open' : 'closed' }
}

function pullObject(pull: PullRequest, at: Micros) {
  const { state, branch, head } = pull
  const ended = state === 'open' ? null : toSecondText(at)
  return {
    ...trackedObject(pull, at),
    state: state === 'open' ? 'open' : 'closed',
    merged: state === 'merged',
    merged_at: state === 'merged' ? ended : null,
    closed_at: ended,
    head: { ref: branch, sha: head },
    base: { ref: 'main' },
    draft: false,
  }
}

function trackedObject(tracked: Issue | PullRequest, at: Micros) {
  const { id, number, title, body, author, createdAt } = tracked
  return {
    id,
    number,
    title,
    body,
    user: userObject(author),
    author_association: 'MEMBER',
    html_url: urlOf(tracked),
    created_at: toSecondText(createdAt),
    updated_at: toSecondText(at),
  }
}

function deploymentObject({ id, sha, environment, by, createdAt }: Deployment, at: Micros) {
  const what = { id, sha, ref: 'main', task: 'deploy', payload: {}, description: null, creator: userObject(by) }
  const where = { environment, original_environment: environment, production_environment: true }
  return { ...what, ...where, created_at: toSecondText(createdAt), updated_at: toSecondText(at) }
}

function commitObject(repository: Repository, { sha, message }: Commit, by: Person, at: Micros) {
  const author = { name: by.name, email: emailOf(by), username: by.username }
  const url = `${webUrl(repository)}/commit/${sha}`
  return { id: sha, message, timestamp: toSecondText(at), url, author, committer: author, distinct: true }
}
