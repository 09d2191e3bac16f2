// Answers that help to find out why a server is slow or large.
import * as Type from 'typebox'

export const configurationShown = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The keys of the configuration, nested as in the file; durations are milliseconds. Secrets are replaced by [redacted]',
  examples: [{ datacenter: 'dc1', encryption: { key: '[redacted]' }, log: { level: 'info' } }]
})

export const cpuProfile = Type.Object(
  {
    nodes: Type.Array(Type.Unknown(), { description: 'Functions, as they were called by others' }),
    startTime: Type.Number({ description: 'Microseconds' }),
    endTime: Type.Number({ description: 'Microseconds' }),
    samples: Type.Optional(
      Type.Array(Type.Integer(), { description: 'IDs of the nodes that were seen running' })
    ),
    timeDeltas: Type.Optional(Type.Array(Type.Integer(), { description: 'Microseconds between them' }))
  },
  {
    $id: 'CpuProfile',
    description: 'A .cpuprofile, as Chrome’s developer tools open it',
    examples: [{ nodes: [], startTime: 0, endTime: 10_000_000, samples: [], timeDeltas: [] }]
  }
)

export const heapProfile = Type.Object(
  {
    head: Type.Unknown({
      description: 'Functions with what they have allocated, as they were called by others'
    }),
    samples: Type.Array(Type.Unknown(), { description: 'The allocations that were looked at' })
  },
  {
    $id: 'HeapProfile',
    description: 'A .heapprofile, as Chrome’s developer tools open it',
    examples: [{ head: {}, samples: [] }]
  }
)
