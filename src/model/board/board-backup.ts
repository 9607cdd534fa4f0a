import Type, { type Static } from '#typebox'

/** The databases of a board. */
export const BOARD_DATABASES = ['sessions', 'cards'] as const
export type BoardDatabaseName = (typeof BOARD_DATABASES)[number]

export const BACKUP_LIMITS = { pathCharacters: 4_096, requestBytes: 32 * 1024 } as const

/** A copy to be made. */
export const BackupRequestSchema = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: BACKUP_LIMITS.pathCharacters,
      pattern: '^[^\\u0000\\uD800-\\uDFFF]*$',
      description: 'Absolute path of a file that does not exist yet.',
    }),
    of: Type.Enum(BOARD_DATABASES),
  },
  { additionalProperties: false },
)
export type BackupRequest = Static<typeof BackupRequestSchema>
