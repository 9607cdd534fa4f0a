import Type, { type Static } from '#typebox'

/** The account that uses a chat server's API. */
export const ChatAccountSchema = Type.Object({
  site: Type.String({ minLength: 1, description: 'Origin of the server: ids are only unique there.' }),
  email: Type.String({ minLength: 1 }),
  api_key: Type.String({ minLength: 1 }),
  tls: Type.Optional(
    Type.Object(
      {
        ca: Type.Optional(Type.String()),
        cert: Type.Optional(Type.String()),
        key: Type.Optional(Type.String()),
        insecure: Type.Optional(Type.Boolean({ description: 'Accepts any TLS certificate.' })),
      },
      { description: 'For servers with certificates of their own, or who ask for ours. Texts in PEM.' },
    ),
  ),
})

export type ChatAccount = Static<typeof ChatAccountSchema>
