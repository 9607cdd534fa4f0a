import t from 'tap'
import { gitHubApiUrl } from '../../../src/platforms/code-a/history/github-api-url.js'

t.test('the API of GitHub has another address than its pages', async t => {
  for (const [address, api] of [
    ['https://github.com', 'https://api.github.com'],
    ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
    ['http://github.com', undefined],
    ['https://github.com.example.org', undefined],
    ['https://ghe.com', undefined],
    ['https://github.example.org', undefined],
    ['https://github.com:8443', undefined],
  ] as const) {
    t.equal(gitHubApiUrl(address), api, address)
  }
})
