import type { Test } from 'tap'
import { listingPlatform } from '../support/listing-platform/listing-platform.js'

/** The list of GitHub that the pages speak of: a ping that arrived, and an issue that did not. @returns its address */
export async function documentedDeliveries(t: Test): Promise<string> {
  const github = await listingPlatform(t, { source: 'code_a' })
  const headers = { 'content-type': 'application/json', 'x-github-event': 'ping', 'x-github-delivery': 'ping-1' }
  github.note({ headers, body: { zen: 'Speak like a human.' } }, { status: 200 })
  const repository = { id: 1, name: 'site', full_name: 'acme/site', html_url: 'https://github.com/acme/site' }
  const issue = { id: 1_001, number: 1, title: 'The page is blank', html_url: 'https://github.com/acme/site/issues/1' }
  const missed = { ...headers, 'x-github-event': 'issues', 'x-github-delivery': 'missed-1' }
  github.note({ headers: missed, body: { action: 'opened', issue, repository, sender: { id: 7, login: 'ada' } } })
  return new URL(github.hook.url).origin
}
