// `annals hold`: what neither retention nor an erasure may remove.
import { UsageError } from '../console.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { required, text, texts } from '../remote/flags.js'
import { table } from '../remote/output.js'

const name = required('name of the hold')
const COLUMNS = ['Name', 'Topics', 'Namespace', 'Partition', 'From', 'Until', 'Reason'] as const

const place = remoteCommand({
  summary: 'Place a legal hold, or change its scope. Requires -reason.',
  examples: [
    'annals hold place case-2026-117 -topic KV:customers/4711/ -reason "request 2026-117"',
    'annals hold place year-2026 -from 2026-01-01T00:00:00Z -until 2026-12-31T23:59:59Z -reason audit'
  ],
  args: { name },
  flags: {
    topic: texts('topic', 'topic of the events, as TOPIC, TOPIC:KEY or TOPIC:FOLDER/; default: all'),
    heldNamespace: text('name', 'namespace of the events; default: all'),
    heldPartition: text('name', 'admin partition of the events; default: all'),
    from: text('time', 'start of the held period, RFC 3339'),
    until: text('time', 'end of the held period, RFC 3339')
  },
  run: async ({ write, out, args, flags, reason }) => {
    if (reason === undefined) throw new UsageError('-reason is missing: a legal hold is placed for a reason')
    const { topic, heldNamespace, heldPartition, from, until } = flags
    const body = {
      Topics: topic.length === 0 ? undefined : [...topic],
      Namespace: heldNamespace,
      Partition: heldPartition,
      From: from,
      Until: until
    }
    out.show(await write('put', '/v1/event/hold/{name}', body, args), () => `Placed legal hold: ${args.name}`)
  }
})

const lift = remoteCommand({
  summary: 'Lift a legal hold. Requires -reason.',
  examples: ['annals hold lift case-2026-117 -reason "case is closed"'],
  args: { name },
  run: async ({ write, out, args, reason }) => {
    if (reason === undefined) throw new UsageError('-reason is missing: a legal hold is lifted for a reason')
    const lifted = await write('delete', '/v1/event/hold/{name}', undefined, args)
    out.show(lifted, () => `Lifted legal hold: ${args.name}`)
  }
})

const read = showCommand({
  summary: 'Show a legal hold.',
  examples: ['annals hold read case-2026-117'],
  args: { name },
  path: '/v1/event/hold/{name}',
  parameters: ({ args }) => args,
  asText: hold => table(COLUMNS, [hold])
})

const list = showCommand({
  summary: 'List the legal holds.',
  examples: ['annals hold list'],
  path: '/v1/event/holds',
  parameters: () => ({}),
  asText: holds => table(COLUMNS, holds)
})

export const holds = group({
  summary: 'Keep commits from retention and erasure.',
  examples: ['annals hold list', 'annals hold lift case-2026-117 -reason "case is closed"'],
  commands: { place, read, list, lift }
})
