/** A process as `/proc/<pid>/stat` describes it. */
export interface ProcStat {
  /** The process has ended, and its parent has not collected it yet. */
  isZombie: boolean
  parent: number
  group: number
  session: number
  /** Start time in clock ticks since boot. */
  started: string
}

/**
 * Reads the text of `/proc/<pid>/stat`. The second field is the program's name in parentheses, and may itself contain
 * blanks and parentheses, so all fields are counted from the last parenthesis. Source: proc(5), fields 3 to 6 and 22.
 */
export function readProcStat(text: string): ProcStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  return {
    isZombie: state === 'Z' || state === 'X',
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? '',
  }
}
