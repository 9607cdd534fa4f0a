const { root = '', otherProgram, demo } = document.documentElement.dataset

/** Prefix of every address of this server: empty, or `/x`. */
export const rootPath = root

/** Address of the other program (board or observatory), if the server knows one. */
export const otherProgramUrl: string | undefined = otherProgram

/** Whether everything shown is sample data, and nothing is kept. */
export const isDemo = demo !== undefined
