/** Where to print messages that are not part of the result. */
export interface Screen {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Warns a user who passed a secret as a flag that others can read it. Only at a terminal: in a script nothing would
 * read the line, and a program that collects the output would not expect it.
 *
 * @param flag the flag used, such as `--token`; @param instead the setting that keeps the secret private
 */
export function warnOfVisibleSecret(flag: string, instead: string, screen: Screen = process.stderr): void {
  if (!screen.isTTY) return
  screen.write(`Warning: ${flag} shows in the process list, to every user of this machine. Set ${instead} instead.\n`)
}
