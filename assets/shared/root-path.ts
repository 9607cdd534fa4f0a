const { root = '', otherProgram } = document.documentElement.dataset

/** In front of every address of this server: empty, or `/x`. */
export const rootPath = root

/** Address of the other program (the board, or the observatory), where the server knows one. */
export const otherProgramUrl: string | undefined = otherProgram
