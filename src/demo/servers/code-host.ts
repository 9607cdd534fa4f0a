import type { Micros } from '../../model/timestamp.js'
import type { Person } from '../people.js'

/** A repository. */
export interface Repository {
  id: number
  /** Including all groups: `brindlequay/platform/payments`. */
  path: string
  /** Last number of its issues and pull requests before the demo. */
  issues: number
  pulls: number
  /** Whether its webhook has a secret. */
  isVerified: boolean
  /** Names of its checks, in their order. */
  checks: readonly string[]
}

/** Common members of issues and pull requests. */
export interface Tracked {
  id: number
  number: number
  repository: Repository
  title: string
  body: string
  author: Person
  createdAt: Micros
  state: 'open' | 'closed' | 'merged'
}

export interface Issue extends Tracked {
  type: 'issue'
}

export interface PullRequest extends Tracked {
  type: 'pull_request'
  branch: string
  /** The newest commit. */
  head: string
}

/** The subject of checks. */
export interface Run {
  id: number
  number: number
  repository: Repository
  sha: string
  branch: string
  title: string
  by: Person
  pull?: PullRequest | undefined
  startedAt: Micros
}

/** A commit on its way to an environment. */
export interface Deployment {
  id: number
  repository: Repository
  sha: string
  environment: string
  by: Person
  createdAt: Micros
}

export type DeploymentProgress = { state: 'running' | 'succeeded' } | { state: 'failed'; failure: string }

export interface Commit {
  sha: string
  message: string
}

export interface NewIssueOrPull {
  title: string
  body: string
  author: Person
}

export type ReviewState = 'approved' | 'changes_requested' | 'commented'

/** A code host that sends events in the format of its platform. */
export interface CodeHost {
  readonly repositories: readonly Repository[]
  /** The actor of automatic events. */
  readonly bot: Person
  openIssue(repository: Repository, issue: NewIssueOrPull, at: Micros): Issue
  label(issue: Issue, label: string, by: Person, at: Micros): void
  openPull(repository: Repository, pull: NewIssueOrPull & { branch: string }, at: Micros): PullRequest
  /** New commits on the branch of a pull request. */
  update(pull: PullRequest, commits: readonly Commit[], by: Person, at: Micros): void
  comment(on: Issue | PullRequest, text: string, by: Person, at: Micros): void
  /** A comment on a line. */
  remark(on: PullRequest, text: string, by: Person, at: Micros): void
  review(pull: PullRequest, review: { state: ReviewState; text: string; by: Person }, at: Micros): void
  close(what: Issue | PullRequest, by: Person, at: Micros): void
  merge(pull: PullRequest, by: Person, at: Micros): void
  push(repository: Repository, branch: string, commits: readonly Commit[], by: Person, at: Micros): void
  startRun(run: Pick<Run, 'repository' | 'sha' | 'branch' | 'title' | 'by' | 'pull'>, at: Micros): Run
  /** @param failure the error of a failed run */
  endRun(run: Run, failure: string | undefined, at: Micros): void
  requestDeployment(
    repository: Repository,
    deployment: Pick<Deployment, 'sha' | 'environment' | 'by'>,
    at: Micros,
  ): Deployment
  deploymentStatus(deployment: Deployment, progress: DeploymentProgress, at: Micros): void
  release(repository: Repository, tag: string, text: string, by: Person, at: Micros): void
}
