/** What asking another board by its profile showed. */
export interface BackendCheck {
  name: string
  /** Base address; null where the profile names none that can be used. */
  url: string | null
  /** A board answers there. */
  reachable: boolean
  /** It lets us in, by the key or because it lets everybody in; null while that is not known. */
  admitted: boolean | null
  version: string | null
  /** What keeps requests from going there; null when nothing does. */
  problem: BackendProblem | null
}

/** For programs and for people. */
export interface BackendProblem {
  code: 'backends_invalid' | 'backend_refuses' | 'not_a_board' | 'server_unreachable'
  detail: string
}
