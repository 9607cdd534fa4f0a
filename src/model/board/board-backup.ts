import Type, { type Static } from '#typebox'
import { BackupPathSchema } from '../backup.js'

/** The databases of a board. */
export const BOARD_DATABASES = ['sessions', 'cards'] as const
export type BoardDatabaseName = (typeof BOARD_DATABASES)[number]

/** Asks for a copy of one database of the board. */
export const BackupRequestSchema = Type.Object(
  { path: BackupPathSchema, of: Type.Enum(BOARD_DATABASES) },
  { additionalProperties: false },
)
export type BackupRequest = Static<typeof BackupRequestSchema>
