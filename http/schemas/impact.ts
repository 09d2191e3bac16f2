// The rights that tokens and logins gain and lose by a change.
import * as Type from 'typebox'
import { tenancyView, textList, text, sample, view } from './view.js'

const right = view('RightsChange', {
  Text: Type.String({
    description: 'For people: `key_prefix "web/"`, or `every key` for a right on all names'
  }),
  Resource: Type.String({ description: 'Resource of the rule language, intention or namespace' }),
  Segment: text('A name, or the prefix of names; absent for resources without names'),
  Match: text('exact, or prefix for all names below Segment that no longer label of the rules matches'),
  Namespace: Type.String({
    description:
      'A name, or a prefix and `*` for those that no longer label matches; `?` for a right in any namespace'
  }),
  Partition: Type.String({ description: 'As Namespace' }),
  Gained: Type.Array(Type.String(), {
    description: 'read, list, write, write-prefix, read-all (every name) or read-job (of a namespace)'
  }),
  Lost: textList
})

const subject = view('AffectedSubject', {
  Kind: Type.String({
    description: 'token, login (a token that an auth method created) or binding rule (future logins)'
  }),
  ID: Type.String({ description: 'AccessorID of a token, otherwise the ID' }),
  Name: text('Description of a token; the role or identity that a binding rule gives'),
  ...tenancyView,
  AuthMethod: text('Auth method of a login or binding rule'),
  Selector: text('The identities that a binding rule selects; absent for all')
})

const effect = view('ImpactEffect', {
  Datacenter: text(
    'Where the rights change, if not alike in all; `*` for all other datacenters than `Datacenters`'
  ),
  Tokens: Type.Integer({ description: 'Number of tokens with these changes' }),
  Subjects: Type.Array(subject, { description: 'The first 100 tokens, and binding rules' }),
  Rights: Type.Array(right, { description: 'At most 200' }),
  OmittedRights: Type.Optional(Type.Integer({ description: 'Number of further rights' }))
})

const changedQuestion = view('ChangedQuestion', {
  Answer: Type.String({
    description:
      'denied, allowed, or unknown where only the prefix of the names was recorded, and some keep their answer'
  }),
  AccessorID: Type.String({ description: 'Of the token that asked' }),
  Datacenter: text('Where it asked, if not in this datacenter'),
  Resource: Type.String(),
  Access: Type.String(),
  Segment: Type.String({ description: 'A name, or a prefix' }),
  Extent: Type.String({
    description: 'one name, a list of names with the prefix, or collapsed names with the prefix'
  }),
  ...tenancyView,
  Count: Type.Integer({ description: 'How often it was asked' }),
  LastAsked: Type.String({ description: 'Minute of the last time, RFC 3339' })
})

const recorded = view(
  'RecordedImpact',
  {
    Since: text('Begin of the recording on all servers, RFC 3339; absent without one'),
    Gaps: Type.Integer({ description: 'Pauses of the recording since then' }),
    Lost: Type.Integer({ description: 'Questions since then that found no room' }),
    Servers: Type.Array(Type.String(), { description: 'Servers whose records are included' }),
    NotHeard: Type.Array(Type.String(), { description: 'Servers and datacenters whose records are missing' }),
    Kept: Type.Integer({ description: 'Recorded questions with the same answer' }),
    Denied: Type.Integer({ description: 'Recorded questions that would be denied' }),
    Allowed: Type.Integer({ description: 'Recorded questions that would be allowed' }),
    Unknown: Type.Integer({ description: 'Recorded prefixes of names, of which some may change' }),
    Changed: Type.Array(changedQuestion, { description: 'The first 200 that do not keep their answer' })
  },
  'Questions that the tokens asked, with their answers after the change'
)

const RIGHT = {
  Text: 'key_prefix "web/"',
  Resource: 'key',
  Segment: 'web/',
  Match: 'prefix',
  Namespace: 'default',
  Partition: 'default',
  Gained: [],
  Lost: ['write', 'write-prefix']
}

export const impact = view('Impact', {
  Tokens: sample.integer(1, 'Number of tokens in the effects'),
  Datacenters: sample.of(
    ['dc1'],
    Type.Array(Type.String(), {
      description: 'Those that were compared one by one: this one, and those that some link or identity names'
    })
  ),
  Recorded: sample.of(
    {
      Since: '2026-03-01T12:00:00Z',
      Gaps: 0,
      Lost: 0,
      Servers: ['n1'],
      NotHeard: [],
      Kept: 12,
      Denied: 0,
      Allowed: 0,
      Unknown: 0,
      Changed: []
    },
    recorded
  ),
  Omitted: Type.Optional(Type.Integer({ description: 'Number of further effects' })),
  Effects: sample.of(
    [
      {
        Tokens: 1,
        Subjects: [{ Kind: 'token', ID: '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4', Name: 'web on host 1' }],
        Rights: [RIGHT]
      }
    ],
    Type.Array(effect, { description: 'Those on most tokens first, at most 100' })
  )
})
