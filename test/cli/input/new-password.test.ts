import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readNewPassword } from '../../../src/cli/input/new-password.js'

const files: { name: string; holds: string | Uint8Array; password: string }[] = [
  { name: 'a line without its end', holds: 'correct horse\n', password: 'correct horse' },
  { name: 'a line of another system', holds: 'correct horse\r\n', password: 'correct horse' },
  { name: 'blanks, which belong to it', holds: ' a  b ', password: ' a  b ' },
  { name: 'more than one line', holds: 'a\nb\n\n', password: 'a\nb\n' },
  { name: 'letters of any script', holds: 'grüße🔑', password: 'grüße🔑' },
]
for (const { name, holds, password } of files) {
  t.test(`a password file may hold ${name}`, async t => {
    const file = join(t.testdir(), 'password')
    writeFileSync(file, holds)
    t.equal(await readNewPassword(file), password)
  })
}

const refused = [
  {
    name: 'not UTF-8',
    holds: Uint8Array.of(0x67, 0x72, 0xfc),
    error: { category: 'invalid', code: 'file_unreadable' },
  },
  { name: 'no password by its size', holds: 'x'.repeat(70_000), error: { code: 'body_too_large' } },
  { name: 'not there', holds: undefined, error: { category: 'invalid', code: 'file_unreadable' } },
]
for (const { name, holds, error } of refused) {
  t.test(`a password file that is ${name} is refused`, async t => {
    const file = join(t.testdir(), 'password')
    if (holds !== undefined) writeFileSync(file, holds)
    const thrown = await readNewPassword(file).catch(error => error)
    t.match(thrown, error)
    t.notMatch(thrown.message, /gr\ufffd|xxx/)
  })
}
