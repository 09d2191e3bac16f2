// The use of rights in responses.
import * as Type from 'typebox'
import { flag, text, sample, view } from './view.js'

const count = (description: string) => Type.Integer({ description })
const time = (description: string) => Type.String({ description: `${description}, RFC 3339 to the minute` })
const state = Type.String({
  description:
    'used: a recorded answer would, or may, be different without it; unused: none would; unknown: none would, but too little is recorded'
})

const coverage = view('UsageCoverage', {
  Since: Type.Optional(time('From when on all servers have recorded questions')),
  Until: time('Up to when'),
  RecordedDays: Type.Number({
    description: 'Time that the server with the shortest record has recorded, in days'
  }),
  RequiredDays: count('Time from which on something is called unused, in days'),
  Gaps: Type.Array(
    Type.Object({ From: time('Last question before it'), To: time('First question after it') }),
    {
      description: 'When a server recorded nothing; the newest 100'
    }
  ),
  LeftOut: count('Questions that were not recorded, for want of room'),
  Servers: Type.Array(Type.String(), { description: 'Servers whose records are included' }),
  NotHeard: Type.Array(Type.String(), { description: 'Servers and datacenters whose records are missing' }),
  IsSufficient: flag('Enough is recorded to call something unused')
})

const source = Type.Object({
  Kind: Type.String({ description: 'policy, role, service identity, node identity or legacy rules' }),
  ID: text('Of a policy or role'),
  Name: text('Its name, or that of an identity')
})

const RULE = {
  Text: 'key_prefix "web/"',
  Level: 'read',
  Namespace: 'default',
  Partition: 'default',
  Line: 1,
  Column: 1,
  Source: { Kind: 'policy', ID: '4b1b2b5c-3d6c-4a6e-8a0d-0d2ff1b0e0a4', Name: 'web' },
  State: 'unused',
  Count: 0,
  UsedBy: [],
  Users: 0
}

const ruleFields = {
  Text: Type.String({ description: 'The head of the rule' }),
  Level: Type.String({ description: 'deny, read, list or write' }),
  Line: Type.Optional(Type.Integer({ description: 'Where the rule stands in the text of its policy' })),
  Column: Type.Optional(Type.Integer()),
  Source: source
}

const rule = view('RuleUse', {
  ...ruleFields,
  Namespace: Type.String({ description: 'Where the rule counts: a name, or a prefix with `*` behind it' }),
  Partition: Type.String({ description: 'As Namespace' }),
  State: state,
  Count: count('Recorded questions that it decides'),
  FirstUsed: Type.Optional(time('The first of them')),
  LastUsed: Type.Optional(time('The last of them')),
  UsedBy: Type.Array(
    Type.Object({
      AccessorID: text('Of a token that exists; absent for deleted tokens'),
      Datacenter: text('Where it asked, if in another datacenter'),
      Count: count('Questions'),
      LastUsed: time('The last one')
    }),
    { description: 'The tokens with most questions, at most 20, that the caller may read' }
  ),
  Users: count('Number of all tokens that asked; a token counts once for each datacenter'),
  Overlap: Type.Optional(
    Type.Object(ruleFields, {
      description: 'The rule that decides all that this one does, so that this one adds nothing'
    })
  )
})

const question = view('RecordedQuestion', {
  Resource: Type.String(),
  Access: Type.String({
    description: 'read, list, write, write-prefix, or read-all for every resource of the kind'
  }),
  Segment: Type.String({ description: 'A name, or a prefix of names' }),
  Extent: Type.String({
    description:
      'one: the resource of that name; list: a list of those with the prefix; collapsed: names with the prefix, too many to record each'
  }),
  Namespace: Type.String(),
  Partition: Type.String(),
  Allowed: Type.Boolean(),
  Count: count('How often'),
  First: time('The first time'),
  Last: time('The last time')
})

const COVERAGE = {
  Until: '2026-03-31T12:00:00Z',
  RecordedDays: 30.5,
  RequiredDays: 30,
  Gaps: [],
  LeftOut: 0,
  Servers: ['node1'],
  NotHeard: [],
  IsSufficient: true
}

/** The resource of an answer, and how much of its use is recorded. */
const head = {
  Kind: sample.text('role', 'token, policy or role'),
  ID: sample.text('4b1b2b5c-3d6c-4a6e-8a0d-0d2ff1b0e0a4'),
  Name: sample.text('web', 'Of a policy or role; the description of a token'),
  Coverage: sample.of(COVERAGE, coverage)
}

export const accessUsage = view('AccessUsage', {
  ...head,
  Tokens: sample.integer(
    1,
    'Tokens with these rights and recorded questions; deleted tokens with the same links count as one'
  ),
  Rules: sample.of([RULE], Type.Array(rule)),
  Links: sample.of(
    [],
    Type.Array(Type.Object({ ...source.properties, State: state }), {
      description:
        'Of a token or role: its links and identities, and whether they add something to the others'
    })
  ),
  Questions: sample.of(
    [],
    Type.Array(question, {
      description:
        'The recorded questions of tokens that the caller may read, the most frequent first, at most 1,000'
    })
  ),
  OmittedQuestions: sample.integer(0, 'Number of further questions')
})

export const suggestion = view('PolicySuggestion', {
  ...head,
  Namespace: sample.text('default', 'Where the policy belongs'),
  Partition: sample.text('default', 'Where the policy belongs'),
  Datacenters: sample.of(
    ['dc1'],
    Type.Optional(
      Type.Array(Type.String(), {
        description: 'Where the policy must apply only, if the rights are not alike in all datacenters'
      })
    )
  ),
  Rules: sample.text(
    '# "web/port"\n# "web/host"\n# "web/user"\nkey_prefix "web/" {\n  policy = "read"\n}\n',
    'The rules, in HCL; comments name up to three of the names that each is for'
  )
})
