/** What is wrong with the arguments, as a sentence. */
export class UsageError extends Error {}
