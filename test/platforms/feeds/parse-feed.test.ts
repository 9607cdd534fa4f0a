import t from 'tap'
import { type Feed, parseFeed } from '../../../src/platforms/feeds/parse-feed.js'

const URL_OF_FEED = 'https://blog.example.org/feeds/all.xml'

function parse(xml: string): Promise<Feed> {
  return parseFeed(xml, URL_OF_FEED, async () => {})
}

const RSS_2 = `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet href="feed.xsl"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <atom:link href="https://blog.example.org/feeds/all.xml" rel="self"/>
    <title>Acme &amp; Co</title>
    <link>https://blog.example.org/</link>
    <image><title>a picture</title><link>https://example.org/picture</link></image>
    <item>
      <title><![CDATA[Vec<T> is faster]]></title>
      <link>https://blog.example.org/2?a=1&amp;b=2</link>
      <guid isPermaLink="false">post-2</guid>
      <dc:creator>Ada</dc:creator>
      <pubDate>Wed, 25 Nov 2026 13:00:00 +0100</pubDate>
      <description>&lt;p&gt;Two &amp;amp; a half.&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;p&gt;Next&lt;/p&gt;</description>
      <content:encoded><![CDATA[<h1>All of it</h1>]]></content:encoded>
      <category>rust</category><category>speed</category>
      <enclosure url="/2.mp3" length="1" type="audio/mpeg"/>
      <comments>https://blog.example.org/2#comments</comments>
    </item>
    <item><link>/1</link><pubDate>Mon, 23 Nov 2026 09:00 EST</pubDate><description>Only a text</description></item>
    <item><guid>https://blog.example.org/0</guid><pubDate>23 Nov 2026 09:00</pubDate></item>
    <item><title>Neither id nor link</title></item>
  </channel>
</rss>`

const RSS_1 = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="https://archive.example.org/news"><title>Archive</title><link>https://archive.example.org</link>
    <items><rdf:Seq><rdf:li resource="https://archive.example.org/a"/></rdf:Seq></items></channel>
  <item rdf:about="https://archive.example.org/a"><title>A</title><link>https://archive.example.org/a.html</link>
    <dc:date>2026-11-25T12:00:00+01:00</dc:date><dc:subject>history</dc:subject></item>
</rdf:RDF>`

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom">
  <title type="html">Notes &lt;b&gt;of&lt;/b&gt; Acme</title>
  <id>urn:feed</id><updated>2026-11-25T12:00:00Z</updated>
  <link rel="self" href="atom.xml"/><link href="/notes"/>
  <entry>
    <id>tag:example.org,2026:7</id>
    <title>Version 7</title>
    <link rel="edit" href="/edit/7"/><link rel="alternate" href="../notes/7"/>
    <author><name>Mia</name><uri>https://example.org/mia</uri></author>
    <published>2026-11-24T08:00:00.5+01:00</published><updated>2026-11-25T08:00:00Z</updated>
    <category term="release" label="Releases"/>
    <summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Much is <em>new</em>.</div></summary>
    <source><id>urn:other</id><title>Another feed</title></source>
  </entry>
</feed>`

t.test('RSS 2.0 is parsed, with its modules', async t => {
  const { items, ...about } = await parse(RSS_2)
  t.strictSame(about, { title: 'Acme & Co', link: 'https://blog.example.org/' })
  t.match(items, [
    {
      key: 'post-2',
      link: 'https://blog.example.org/2?a=1&b=2',
      title: 'Vec<T> is faster',
      text: 'Two & a half.\nNext',
      content: '<h1>All of it</h1>',
      author: 'Ada',
      published: '2026-11-25T12:00:00.000000Z',
      categories: ['rust', 'speed'],
      enclosure: 'https://blog.example.org/2.mp3',
    },
    { key: 'https://blog.example.org/1', text: 'Only a text', published: '2026-11-23T14:00:00.000000Z' },
    { key: 'https://blog.example.org/0', link: 'https://blog.example.org/0', published: '23 Nov 2026 09:00' },
    { key: /^sha256-/, title: 'Neither id nor link' },
  ])
})

t.test('RSS 1.0 is parsed', async t => {
  t.strictSame(await parse(RSS_1), {
    title: 'Archive',
    link: 'https://archive.example.org/',
    items: [
      {
        key: 'https://archive.example.org/a',
        link: 'https://archive.example.org/a.html',
        title: 'A',
        published: '2026-11-25T11:00:00.000000Z',
        categories: ['history'],
      },
    ],
  })
})

t.test('Atom is parsed, with and without a prefix', async t => {
  const feed = {
    title: 'Notes of Acme',
    link: 'https://blog.example.org/notes',
    items: [
      {
        key: 'tag:example.org,2026:7',
        link: 'https://blog.example.org/notes/7',
        title: 'Version 7',
        text: 'Much is new.',
        summary: 'Much is new.',
        author: 'Mia',
        published: '2026-11-24T07:00:00.500000Z',
        updated: '2026-11-25T08:00:00.000000Z',
        categories: ['release'],
      },
    ],
  }
  t.strictSame(await parse(ATOM), feed)
  t.strictSame(await parse(ATOM.replace(/<(\/?)(?=[a-z])/g, '<$1atom:')), feed)
})

t.test('paragraphs of XHTML become lines', async t => {
  const xhtml = (prefix: string, to: string) =>
    `<${to} type="xhtml"><${prefix}div><${prefix}p>one <${prefix}b>and</${prefix}b> a half</${prefix}p><${prefix}p>two</${prefix}p></${prefix}div></${to}>`
  const entries = ['', 'h:'].map(prefix => `<entry><id>${prefix}</id>${xhtml(prefix, 'content')}</entry>`)
  const { items } = await parse(`<feed>${entries.join('')}<entry><id>3</id>${xhtml('', 'title')}</entry></feed>`)
  t.match(items, [
    { content: 'one and a half\ntwo', text: 'one and a half\ntwo' },
    { content: 'one and a half\ntwo' },
    { title: 'one and a half\ntwo' },
  ])
})

t.test('a document type defines nothing: entities stay as they are, and nothing is loaded', async t => {
  const lines = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`)
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "lol"><!ENTITY x SYSTEM "file:///etc/passwd">${lines.join('')}]>`
  const { items } = await parse(
    `${bomb}<rss><channel><item><guid>1</guid><title>&l9; &x; &nbsp;</title></item></channel></rss>`,
  )
  t.match(items, [{ key: '1', title: '&l9; &x; &nbsp;' }])
})

t.test('malformed XML is parsed as far as possible', async t => {
  const { items } = await parse(
    '<rss><channel><item><title>A & B < C<b>D</title><guid>1</guid></item><item><guid>2</guid></rss><!--',
  )
  t.same(items, [
    { key: '1', title: 'A & B < CD', categories: [] },
    { key: '2', categories: [] },
  ])
  const hostile =
    '<rss><channel><item><guid>&#xD800;&#0;</guid><__proto__>x</__proto__><title constructor="1">T</title></item></channel></rss>'
  t.same((await parse(hostile)).items, [{ key: '\ufffd\ufffd', title: 'T', categories: [] }])
})

t.test('a document that is cut off at any place is refused', async t => {
  for (const whole of [RSS_2, RSS_1, ATOM]) {
    for (const at of [whole.lastIndexOf('</'), whole.length - 1, whole.length / 2]) {
      await t.rejects(parse(whole.slice(0, at)), { message: /cut off/ }, whole.slice(at - 20, at))
    }
  }
  t.same((await parse('<feed/>')).items, [])
})

t.test('a document that is not a feed, or is nested too deeply, is refused', async t => {
  for (const text of ['', 'no xml', '{"items":[]}', '<html><body><item/></body></html>', '<svg/>']) {
    await t.rejects(parse(text), { message: /neither RSS nor Atom/ }, text)
  }
  await t.rejects(parse(`<rss>${'<a>'.repeat(500_000)}${'</b>'.repeat(500_000)}`), { message: /too deeply/ })
})

t.test('items, texts and categories are bounded, and items with equal keys are merged', async t => {
  const item = (key: number, more = '') => `<item><guid>${key}</guid>${more}</item>`
  const many = Array.from({ length: 2_000 }, (_, at) => item(at))
  t.equal((await parse(`<rss><channel>${many.join('')}</channel></rss>`)).items.length, 1_000)
  const long = `<title>${'t'.repeat(100_000)}</title><description>${'&lt;b&gt;x'.repeat(100_000)}</description>${'<category>c</category>'.repeat(200)}`
  const { items } = await parse(`<rss><channel>${item(1, long)}${item(1)}</channel></rss>`)
  const [found, ...others] = items
  t.same(others, [])
  t.equal(found?.title?.length, 2_000)
  t.equal(found?.categories.length, 50)
  t.equal(found?.summary?.length, 32 * 1024)
})

t.test('items without an id that share a link with each other or the feed are different items', async t => {
  const item = (title: string, link: string) => `<item><title>${title}</title><link>${link}</link></item>`
  const keysOf = async (...items: string[]) =>
    (await parse(`<rss><channel><link>/</link>${items.join('')}</channel></rss>`)).items.map(({ key }) => key)
  const keys = await keysOf(item('A', '/log'), item('B', '/log'), item('C', '/'), item('D', '/d'), item('D', '/d'))
  t.match(keys, [/^sha256-/, /^sha256-/, /^sha256-/, /^https:\/\/blog\.example\.org\/d$/])
  t.equal(new Set(keys).size, 4)
  t.same(await keysOf(item('C', '/')), [keys[2]], 'the other items make no difference to one with the link of the feed')
  t.same(await keysOf(item('A', '/log')), ['https://blog.example.org/log'])
})

t.test('a time in the year 1, which means that there is none, stays as it is', async t => {
  for (const time of ['Mon, 01 Jan 0001 00:00:00 +0000', 'Sat, 01 Jan 0000 00:00:00 GMT']) {
    const feed = await parse(`<rss><channel><item><guid>1</guid><pubDate>${time}</pubDate></item></channel></rss>`)
    t.match(feed.items, [{ published: time }])
  }
})

t.test('an id is a link only if it is a web address', async t => {
  const linkOf = async (guid: string) =>
    (await parse(`<rss><channel><item><guid isPermaLink="false">${guid}</guid></item></channel></rss>`)).items[0]?.link
  t.equal(await linkOf('abc-123'), undefined)
  t.equal(await linkOf('tag:example.org,2026:7'), undefined)
  t.equal(await linkOf('https://blog.example.org/7'), 'https://blog.example.org/7')
})
