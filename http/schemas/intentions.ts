// Intentions in the description of the API, and the body that writes one.
import * as Type from 'typebox'

/** Bodies are read by the rules of service-intentions, which know more spellings than a schema can say. */
export const intentionBody = Type.Object(
  {
    Action: Type.Optional(Type.String({ description: 'allow or deny; none with Permissions' })),
    Permissions: Type.Optional(Type.Array(Type.Unknown())),
    Description: Type.Optional(Type.String()),
    SourceType: Type.Optional(Type.String({ description: 'consul' }))
  },
  { additionalProperties: true }
)

/** Read as the body that writes one by its parties, with them inside. */
export const legacyIntentionBody = Type.Object(
  {
    SourceName: Type.String({ description: 'The service that connects, or *' }),
    DestinationName: Type.String({ description: 'The service that is connected to, or *' }),
    SourceNS: Type.Optional(Type.String()),
    DestinationNS: Type.Optional(Type.String()),
    Action: Type.String({ description: 'allow or deny' }),
    Description: Type.Optional(Type.String()),
    Meta: Type.Optional(Type.Record(Type.String(), Type.String())),
    SourceType: Type.Optional(Type.String({ description: 'consul' }))
  },
  { additionalProperties: true }
)

export const intentionId = Type.Object({ ID: Type.String() })

export const intention = Type.Object({
  ID: Type.Optional(Type.String({ description: 'Only of one that was written by its ID' })),
  SourceNS: Type.String(),
  SourceName: Type.String(),
  DestinationNS: Type.String(),
  DestinationName: Type.String(),
  SourceType: Type.String(),
  Action: Type.Optional(Type.String()),
  Permissions: Type.Optional(Type.Array(Type.Unknown())),
  Description: Type.Optional(Type.String()),
  Meta: Type.Record(Type.String(), Type.String()),
  Precedence: Type.Integer({ description: 'The highest one decides' }),
  CreatedAt: Type.Optional(Type.String({ description: 'Only of one with an ID' })),
  UpdatedAt: Type.Optional(Type.String({ description: 'Only of one with an ID' })),
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
})

export const intentions = Type.Array(intention)
export const matches = Type.Record(Type.String(), intentions)
export const checked = Type.Object({ Allowed: Type.Boolean() })
