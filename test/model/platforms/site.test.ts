import t from 'tap'
import { toSite } from '../../../src/model/platforms/site.js'

const sites: [text: string, origin: string][] = [
  ['https://chat.example.org', 'https://chat.example.org'],
  ['https://Chat.Example.org/', 'https://chat.example.org'],
  ['http://chat.example.org:80', 'http://chat.example.org'],
  ['https://chat.example.org:8443/api', 'https://chat.example.org:8443'],
  ['https://chat.example.org/api/v1/', 'https://chat.example.org'],
  ['chat.example.org', 'https://chat.example.org'],
  ['localhost:9991', 'https://localhost:9991'],
  [' https://[::1]:9991 \n', 'https://[::1]:9991'],
  ['größe.example', 'https://xn--gre-6ka8i.example'],
]
for (const [text, origin] of sites)
  t.test(`${JSON.stringify(text)} is ${origin}`, async t => t.equal(toSite(text), origin))

const others = [
  ...['', ' ', 'ftp://chat.example.org', 'javascript:alert(1)', 'file:///etc/passwd', '//chat.example.org', '/'],
  ...['https://chat.example.org/path', 'https://chat.example.org/api/v2', 'https://chat.example.org?x', 'a b'],
  ...['https://a:b@chat.example.org', 'a@chat.example.org', 'https://chat.example.org/#x', 'https://', 'https://:1'],
  ...[`https://${'a'.repeat(300)}.example`, 'chat.example.org\nx', 'https://chat.example.org:70000'],
]
for (const text of others) t.test(`${JSON.stringify(text)} is not a site`, async t => t.equal(toSite(text), undefined))
