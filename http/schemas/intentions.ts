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

export const intention = Type.Object({
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
  CreateIndex: Type.Integer(),
  ModifyIndex: Type.Integer()
})

export const intentions = Type.Array(intention)
export const matches = Type.Record(Type.String(), intentions)
export const checked = Type.Object({ Allowed: Type.Boolean() })
