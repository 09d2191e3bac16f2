// The log as it lies on the disk, in answers.
import * as Type from 'typebox'

const index = (description: string) => Type.Integer({ description })

const segment = Type.Object(
  {
    FirstIndex: index('Of its first commit'),
    LastIndex: index('Of its last commit; of the newest segment, of the newest commit on disk'),
    Bytes: Type.Optional(
      Type.Integer({ description: 'That it takes on disk; absent while it is being written' })
    ),
    State: Type.String({ description: 'writing, sealed, or compressed' })
  },
  { $id: 'LogSegment' }
)

export const operatorLog = Type.Object(
  {
    FirstIndex: index('The oldest commit that is kept; a base stands for those before it'),
    CommitIndex: index('The newest commit that was decided'),
    DurableIndex: index('The newest commit that is on disk'),
    Segments: Type.Array(segment, { description: 'The oldest first' })
  },
  {
    $id: 'OperatorLog',
    examples: [
      {
        FirstIndex: 1,
        CommitIndex: 41_207,
        DurableIndex: 41_207,
        Segments: [
          { FirstIndex: 1, LastIndex: 40_112, Bytes: 33_554_432, State: 'sealed' },
          { FirstIndex: 40_113, LastIndex: 41_207, State: 'writing' }
        ]
      }
    ]
  }
)
