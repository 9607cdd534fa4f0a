import t from 'tap'
import { parseUrl } from '../../src/model/parse-url.js'

t.test('a URL is recognised when it is parsed repeatedly, also with Latin-1 characters', async t => {
  const parsed = Array.from({ length: 100_000 }, () => parseUrl('http://bücher.example/straße'))
  t.equal(parsed.filter(url => url?.host === 'xn--bcher-kva.example').length, parsed.length)
  t.equal(parseUrl('/straße', 'https://a.example/')?.href, 'https://a.example/stra%C3%9Fe')
  for (const text of ['/straße', 'http://', '']) t.equal(parseUrl(text), undefined, text)
})
