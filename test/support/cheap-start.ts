/** V8 optimises only JavaScript that runs 15 times as long as by default. V8 of later Nodes has no such option. */
const LATE_OPTIMISATION = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []

/**
 * Options of Node for test processes: V8 compiles WebAssembly only once, since a test ends before a better compilation pays.
 * Threads that help to collect garbage take more processor time than they save.
 */
export const CHEAP_TESTS: readonly string[] = ['--liftoff-only', '--single-threaded-gc', ...LATE_OPTIMISATION]

/** The same for processes that tests start. Few of them live long enough to optimise JavaScript at all. */
export const CHEAP_START: readonly string[] = LATE_OPTIMISATION.length > 0 ? CHEAP_TESTS : [...CHEAP_TESTS, '--no-opt']
