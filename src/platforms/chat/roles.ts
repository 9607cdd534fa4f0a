/** The platform's role numbers. Source: Zulip API, "Roles and permissions". */
export const ROLES: ReadonlyMap<unknown, string> = new Map([
  [100, 'owner'],
  [200, 'administrator'],
  [300, 'moderator'],
  [400, 'member'],
  [600, 'guest'],
])
