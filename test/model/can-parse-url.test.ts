import t from 'tap'
import { canParseUrl } from '../../src/model/can-parse-url.js'

t.test('a URL is recognised however often it was checked, also with characters of Latin-1', async t => {
  const checks = Array.from({ length: 100_000 }, () => canParseUrl('http://bücher.example/straße'))
  t.equal(checks.filter(Boolean).length, checks.length)
  t.equal(canParseUrl('/straße', 'https://a.example/'), true)
  for (const text of ['/straße', 'http://', '']) t.equal(canParseUrl(text), false, text)
})
