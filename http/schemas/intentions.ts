// Intentions in bodies and responses.
import * as Type from 'typebox'
import { indexesAt, jsonObjectMap, text, sample, view } from './view.js'

/** Of one request or several. Any other field is that of the configuration entry. */
const permission = Type.Object(
  { Action: text('allow or deny'), HTTP: Type.Optional(jsonObjectMap) },
  { additionalProperties: true }
)

/** Bodies are parsed as service-intentions entries, which accept more spellings than a schema can express. */
export const intentionBody = Type.Object(
  {
    Action: text('allow or deny; none with Permissions'),
    Permissions: Type.Optional(Type.Array(Type.Unknown())),
    Description: Type.Optional(Type.String()),
    SourceType: text('consul')
  },
  { additionalProperties: true, $id: 'IntentionInput', examples: [{ Action: 'allow' }] }
)

/** Parsed like the body of a write by source and destination, which this one contains. */
export const legacyIntentionBody = Type.Object(
  {
    SourceName: Type.String({ description: 'The service that connects, or *' }),
    DestinationName: Type.String({ description: 'The service that is connected to, or *' }),
    SourceNS: Type.Optional(Type.String()),
    DestinationNS: Type.Optional(Type.String()),
    Action: Type.String({ description: 'allow or deny' }),
    Description: Type.Optional(Type.String()),
    Meta: Type.Optional(Type.Record(Type.String(), Type.String())),
    SourceType: text('consul')
  },
  {
    additionalProperties: true,
    $id: 'LegacyIntentionInput',
    examples: [{ SourceName: 'web', DestinationName: 'db', Action: 'allow' }]
  }
)

export const intentionId = view('IntentionID', {
  ID: sample.text('8f246b77-f3e1-ff88-5b48-8ec93abf3e05')
})

export const intention = view('Intention', {
  ID: text('Only of one that was written by its ID'),
  SourceNS: sample.text('default'),
  SourceName: sample.text('api'),
  DestinationNS: sample.text('default'),
  DestinationName: sample.text('web'),
  SourcePartition: text('Where it is not `default`'),
  DestinationPartition: text('Where it is not `default`'),
  SourceType: sample.text('consul'),
  Action: sample.of('allow', text('allow or deny; none with Permissions')),
  Permissions: Type.Optional(Type.Array(permission)),
  Description: text('Free text'),
  Meta: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Where it is not empty' })),
  Precedence: sample.integer(9, 'The highest one decides'),
  CreatedAt: text('Only of one with an ID'),
  UpdatedAt: text('Only of one with an ID'),
  Hash: sample.text(
    '1lPic9SyasB1eNmJ8vHCZOpa1HfTuIgfdKY7kEH2BT8=',
    'Base64 of 32 bytes, equal for equal content'
  ),
  ...indexesAt(42)
})

export const intentions = Type.Array(intention)
/** By the requested names. */
export const matches = Type.Record(Type.String(), intentions)
export const checked = view('IntentionCheck', { Allowed: Type.Boolean() })
