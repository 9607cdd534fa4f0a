import { USER_LIMITS } from '../../model/accounts/user.js'
import { AppError } from '../../model/app-error.js'
import { withoutLineEnd } from '../../settings/reading/secret-setting.js'
import { askSecrets } from './ask-secrets.js'
import { readSmallInput } from './read-input.js'

/**
 * Reads a new password: from a file (`-` is standard input), without its final line end, or by asking twice at the
 * terminal. Never from the command line, which other users of the machine can see.
 *
 * @throws AppError `invalid/wrong_usage` without a terminal, `invalid/passwords_differ`, `invalid/file_unreadable`,
 *   `too_large/body_too_large`; as `askSecrets`
 */
export async function readNewPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) return withoutLineEnd(toText(file, await readSmallInput(file, USER_LIMITS.bodyBytes)))
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new AppError('invalid', 'wrong_usage', 'There is no terminal to ask for the password.', {
      hint: 'Give it with --password-file <file>, or --password-file - on standard input.',
    })
  }
  const terminal = { keyboard: process.stdin, screen: process.stderr }
  const [password = '', again] = await askSecrets(terminal, ['New password: ', 'Once more: '])
  if (password !== again)
    throw new AppError('invalid', 'passwords_differ', 'The two passwords differ. Nothing was changed.')
  return password
}

function toText(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('invalid', 'file_unreadable', `${file} is not UTF-8.`, { cause })
  }
}
