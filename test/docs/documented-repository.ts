import type { Test } from 'tap'
import { startGitHub } from '../support/history-servers/github-server.js'
import { closing } from '../support/history-servers/rest-server.js'
import { sampleRepository } from '../support/history-servers/sample-repository.js'

/** The code host that the pages speak of, with a repository. @returns its address */
export async function documentedRepository(t: Test): Promise<string> {
  return closing(t, await startGitHub(sampleRepository(), { token: 'ghp_example' })).url
}
