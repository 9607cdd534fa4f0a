/** How to make a platform deliver here, with everything that the operator has to enter. */
export interface PlatformSetup {
  source: string
  display_name: string
  /** The webhook's address, to be entered on the platform. */
  url: string
  secret: {
    /** The setting with the secret, or the one with its file. */
    setting: string
    /** Whether one is set. It is never shown. */
    configured: boolean
    /** A new random one, if none is set and the platform does not create its own. */
    suggestion?: string
  }
  /** The path through the platform's pages. */
  place: string[]
  /** The platform's form fields, by its own labels, and their values. */
  fields: { name: string; value: string }[]
  /** What to tick, by the platform's labels; empty if there is no choice. */
  events: string[]
  /** Where the platform shows the responses to its deliveries. */
  delivery_log: string
  /** Further hints. */
  notes: string[]
}
