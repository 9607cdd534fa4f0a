const { root = '', otherProgram, demo } = document.documentElement.dataset

/** In front of every address of this server: empty, or `/x`. */
export const rootPath = root

/** Address of the other program (the board, or the observatory), where the server knows one. */
export const otherProgramUrl: string | undefined = otherProgram

/** Everything that is shown is invented, and nothing is kept. */
export const isDemo = demo !== undefined
