import t from 'tap'
import { parseUrl } from '../../src/model/parse-url.js'

t.test('a URL is recognised however often it was parsed, also with characters of Latin-1', async t => {
  const parsed = Array.from({ length: 100_000 }, () => parseUrl('http://bücher.example/straße'))
  t.equal(parsed.filter(url => url?.host === 'xn--bcher-kva.example').length, parsed.length)
  t.equal(parseUrl('/straße', 'https://a.example/')?.href, 'https://a.example/stra%C3%9Fe')
  for (const text of ['/straße', 'http://', '']) t.equal(parseUrl(text), undefined, text)
})
