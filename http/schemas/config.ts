// Configuration entries in the description of the API. Bodies are read by the kinds themselves, which know more
// spellings than a schema can say (spec: config.md §2).
import * as Type from 'typebox'
import { CONFIG_KINDS } from '../../events/config-entry.js'

export const configEntry = Type.Object(
  {
    Kind: Type.Union(CONFIG_KINDS.map(kind => Type.Literal(kind))),
    Name: Type.Optional(Type.String({ description: 'Not on mesh; global on proxy-defaults' })),
    Meta: Type.Optional(Type.Record(Type.String(), Type.String())),
    CreateIndex: Type.Optional(Type.Integer({ description: 'Set by the service' })),
    ModifyIndex: Type.Optional(Type.Integer({ description: 'Set by the service' }))
  },
  { additionalProperties: true, description: 'With the fields of its kind' }
)

export const configEntries = Type.Array(configEntry)
export const stored = Type.Boolean({ description: 'False when cas did not hold' })
