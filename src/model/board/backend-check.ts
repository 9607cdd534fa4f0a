/** Result of a request to another board, by its profile. */
export interface BackendCheck {
  name: string
  /** Base address; null if the profile has no usable one. */
  url: string | null
  /** A board answers there. */
  reachable: boolean
  /** It accepts our key or needs none; null if unknown. */
  admitted: boolean | null
  version: string | null
  /** Why requests cannot go there; null if they can. */
  problem: BackendProblem | null
}

/** Both a code for programs and a text for people. */
export interface BackendProblem {
  code: 'backends_invalid' | 'backend_refuses' | 'not_a_board' | 'server_unreachable'
  detail: string
}
