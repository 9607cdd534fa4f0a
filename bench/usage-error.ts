/** A problem with the arguments, as a sentence. */
export class UsageError extends Error {}
