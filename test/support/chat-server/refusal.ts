/** An answer of `result: "error"`, as the platform words it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    /** Absent on servers before version 5. */
    readonly code: string | undefined,
    message: string,
    readonly members: Record<string, unknown> = {},
  ) {
    super(message)
  }
}

export function badNarrow(reason: string): Refusal {
  return new Refusal(400, 'BAD_NARROW', `Invalid narrow operator: ${reason}`, { desc: reason })
}
